import type { Server } from './server';

/** Why Prometheus could not be asked or did not answer, in one sentence, and what to do next. */
export interface Failure {
  readonly text: string;
  readonly nextStep: string;
}

const SHORTEN = 'Shorten --range, lengthen --step or narrow --match.';
const ADDRESS = 'Check --prometheus: it is the address under which /api/v1/query_range is served.';
const CREDENTIALS =
  "Check the credentials: user:password@ in --prometheus, or --header 'Authorization: Bearer …', and their rights.";

/** Next steps by HTTP status; the rest are the server's own trouble. */
const BY_STATUS: Readonly<Record<number, string>> = {
  400: 'Check --match, --range and --step.',
  401: CREDENTIALS,
  403: CREDENTIALS,
  404: ADDRESS,
  405: `${ADDRESS} It must accept POST.`,
  408: SHORTEN,
  413: SHORTEN,
  422: SHORTEN,
  429: 'Wait a little and ask again.',
  504: SHORTEN,
};

/** Prometheus answered with an error of its own, which says more than the status. */
export function explainAnswer(
  { type, message }: { readonly type: string; readonly message: string },
  { status, server }: { readonly status: number; readonly server: Server }
): Failure {
  return {
    text: `Prometheus at ${server.shownUrl} refused the query (HTTP ${status}${type ? `, ${type}` : ''}): ${message.replace(/\.$/, '')}.`,
    nextStep: nextStepOf(status, message),
  };
}

function nextStepOf(status: number, message: string): string {
  if (/parse error|error parsing regexp/i.test(message)) {
    return `Check --match: it takes label matchers such as '{namespace="prod"}'.`;
  }
  if (/timed? ?out|deadline|too many samples|exceeded maximum resolution|limit/i.test(message)) {
    return SHORTEN;
  }
  return BY_STATUS[status] ?? 'Look at the log of Prometheus, and ask again.';
}

/** Something answered, but not in Prometheus's words. */
export function explainStatus({
  status,
  location,
  server,
}: {
  readonly status: number;
  readonly location: string | undefined;
  readonly server: Server;
}): Failure {
  if (status >= 300 && status < 400) {
    return {
      text: `${server.shownUrl} answered with a redirect (HTTP ${status})${location ? ` to ${bare(location)}` : ''}.`,
      nextStep: 'Give --prometheus the final address, or credentials if that is a login page.',
    };
  }
  return status < 300
    ? { text: `${server.shownUrl} did not answer as Prometheus does (HTTP ${status}).`, nextStep: ADDRESS }
    : {
        text: `${server.shownUrl} answered HTTP ${status}.`,
        nextStep: BY_STATUS[status] ?? 'Check that Prometheus is up behind this address, and ask again.',
      };
}

/** Addresses of login pages carry tokens in their query. */
const bare = (location: string): string => location.replace(/[?#].*$/, '');

const BY_CODE: Readonly<Record<string, readonly [text: string, nextStep: string]>> = {
  ECONNREFUSED: ['refused the connection', 'Check host and port, and that Prometheus runs.'],
  ENOTFOUND: ['has no address: the host name is unknown', 'Check the host name in --prometheus.'],
  EAI_AGAIN: ['has no address: the name service does not answer', 'Check the network, and ask again.'],
  ECONNRESET: ['closed the connection', 'Check http or https, and that Prometheus runs.'],
  EHOSTUNREACH: ['cannot be reached', 'Check the network between here and Prometheus.'],
  ENETUNREACH: ['cannot be reached', 'Check the network between here and Prometheus.'],
  ETIMEDOUT: ['does not answer', 'Check host and port, and the network between.'],
  EPROTO: ['does not speak TLS here', 'Check whether the address starts with http:// or https://.'],
  ERR_SSL_WRONG_VERSION_NUMBER: ['does not speak TLS here', 'Use http:// instead of https://.'],
  ERR_SSL_PACKET_LENGTH_TOO_LONG: ['does not speak TLS here', 'Use http:// instead of https://.'],
  HPE_INVALID_CONSTANT: ['does not speak HTTP here', 'Check the port, and whether it needs https://.'],
};
const TLS = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ALTNAME/;

/** No answer at all. `lateMs` is set when the time ran out. */
export function explainTransport(error: unknown, { shownUrl }: Server, lateMs: number | undefined): Failure {
  if (lateMs !== undefined) {
    return { text: `Prometheus at ${shownUrl} did not answer within ${lateMs / 1000} s.`, nextStep: SHORTEN };
  }
  const code = textOf(error, 'code');
  const [text, nextStep] = BY_CODE[code] ?? [];
  if (text !== undefined && nextStep !== undefined) {
    return { text: `${shownUrl} ${text}.`, nextStep };
  }
  const message = textOf(error, 'message') || code || 'the connection failed';
  return TLS.test(code)
    ? { text: `The certificate of ${shownUrl} is not trusted: ${message}.`, nextStep: 'Set NODE_EXTRA_CA_CERTS.' }
    : { text: `${shownUrl} could not be asked: ${message}.`, nextStep: 'Check --prometheus.' };
}

/** An error of Node tells what happened in its code; several attempts in one error have a code and no message. */
function textOf(error: unknown, key: 'code' | 'message'): string {
  const value = typeof error === 'object' && error !== null ? Object.getOwnPropertyDescriptor(error, key)?.value : '';
  return typeof value === 'string' ? value : '';
}
