import { type DeploymentConfig } from './config';
import { type Request } from './request';

/** The KV pages of a decode engine. A request holds pages for its prompt and for what it has generated. */
export class KvPool {
  private usedPages = 0;

  constructor(private readonly config: DeploymentConfig) {}

  get usedTokens(): number {
    return this.usedPages * this.config.pageTokens;
  }

  hold(request: Request, tokens: number): void {
    const pages = this.pages(tokens);
    this.usedPages += pages - request.decodePages;
    request.decodePages = pages;
  }

  free(request: Request): void {
    this.usedPages -= request.decodePages;
    request.decodePages = 0;
  }

  /** Room for `tokens` more, beside what `activeRequests` may still need. */
  hasRoom(tokens: number, activeRequests: number): boolean {
    const reserved = activeRequests * this.pages(this.config.reservedDecodeTokens);
    return this.pages(tokens) <= this.capacityPages - this.usedPages - reserved;
  }

  /** Whether every one of `running` can be given the pages of its next token. */
  canStep(running: readonly Request[]): boolean {
    if (this.usedPages + running.length <= this.capacityPages) {
      return true;
    }
    const wanted = running.reduce(
      (sum, request) => sum + this.pages(request.promptTokens + request.generatedTokens) - request.decodePages,
      0
    );
    return this.usedPages + wanted <= this.capacityPages;
  }

  private get capacityPages(): number {
    return this.config.kvCapacityTokens / this.config.pageTokens;
  }

  private pages(tokens: number): number {
    return Math.ceil(tokens / this.config.pageTokens);
  }
}
