import { LINE, type Frame, type Rect } from './layoutFrame';

export interface HeaderLayout {
  readonly glyph: Rect;
  readonly headline: Rect;
  readonly age: Rect;
  readonly contradiction?: Rect;
  /** Lines of running text: detail, remedy, further findings. */
  readonly prose?: Rect;
}

export function layoutHeader(frame: Frame, top: number): HeaderLayout {
  return frame.width >= 720 ? wideHeader(frame, top) : narrowHeader(frame, top);
}

function wideHeader(frame: Frame, top: number): HeaderLayout {
  const { width, height, pad } = frame;
  const y = top + (height >= 420 && top === 0 ? 14 : 8);
  const headlineHeight = height >= 420 ? 48 : 36;
  const metaWidth = Math.min(300, width * 0.27);
  const x = pad + headlineHeight + 10;
  const metaX = width - pad - metaWidth;
  const lines = height >= 690 ? 4 : height >= 560 ? 3 : height >= 380 ? 2 : height >= 240 ? 1 : 0;
  return {
    glyph: { x: pad, y, width: headlineHeight, height: headlineHeight },
    headline: { x, y, width: metaX - x - 16, height: headlineHeight },
    age: { x: metaX, y, width: metaWidth, height: LINE },
    contradiction: { x: metaX, y: y + LINE, width: metaWidth, height: headlineHeight - LINE },
    ...prose({ x, y: y + headlineHeight + 4, width: width - pad - x, height: lines * LINE }),
  };
}

function prose(rect: Rect): { prose?: Rect } {
  return rect.height > 0 ? { prose: rect } : {};
}

function narrowHeader(frame: Frame, top: number): HeaderLayout {
  const { width, height, pad } = frame;
  const tall = height >= 480;
  const y = top + (tall ? 10 : 7);
  const glyph = tall ? 36 : 30;
  const headlineHeight = tall ? 66 : 42;
  const x = pad + glyph + 8;
  const full = width - 2 * pad;
  const ageY = y + headlineHeight + 2;
  const proseY = ageY + LINE * (tall ? 2 : 1);
  const lines = height >= 560 ? 5 : tall ? 3 : height >= 240 ? 1 : 0;
  return {
    glyph: { x: pad, y, width: glyph, height: headlineHeight },
    headline: { x, y, width: width - pad - x, height: headlineHeight },
    age: { x: pad, y: ageY, width: full, height: LINE },
    ...(tall ? { contradiction: { x: pad, y: ageY + LINE, width: full, height: LINE } } : {}),
    ...prose({ x: pad, y: proseY, width: full, height: lines * LINE }),
  };
}
