import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';

/** Panels whose width is kept. The styles have their initial and extreme widths. */
const panels = ['list', 'inspector'] as const;

type Panel = (typeof panels)[number];

/** Pixels that an arrow key adds or takes. */
const STEP = 16;

const toKey = (panel: Panel) => `${panel}-width` as const;

function setWidth(panel: Panel, width: number): void {
  document.documentElement.style.setProperty(`--${toKey(panel)}`, `${width}px`);
}

/** Gives the panels their kept widths. Before the first rendering, so that nothing moves. */
export function restoreWidths(): void {
  for (const panel of panels) {
    const width = Number(localStorage.getItem(toKey(panel)));
    if (width > 0) setWidth(panel, width);
  }
}

export interface ResizerProps {
  /** The list is the element before the separator, the inspector the one after it. */
  readonly panel: Panel;
  readonly label: string;
}

/** A separator that changes the width of a panel: dragged, with the arrow keys, Home and End. A double click resets it. */
export function Resizer({ panel, label }: ResizerProps) {
  const self = useRef<HTMLDivElement>(null);
  const drag = useRef({ x: 0, width: 0 });
  const [width, setShown] = useState(0);
  const direction = panel === 'list' ? 1 : -1;
  const find = (): Element | null =>
    (panel === 'list' ? self.current?.previousElementSibling : self.current?.nextElementSibling) ?? null;
  const measure = (): number => Math.round(find()?.getBoundingClientRect().width ?? 0);
  const resize = (wanted: number): void => {
    setWidth(panel, wanted);
    // The styles limit it.
    const reached = measure();
    setWidth(panel, reached);
    localStorage.setItem(toKey(panel), String(reached));
  };
  const reset = (): void => {
    document.documentElement.style.removeProperty(`--${toKey(panel)}`);
    localStorage.removeItem(toKey(panel));
  };
  useEffect(() => {
    const observer = new ResizeObserver(() => setShown(measure()));
    const element = find();
    if (element !== null) observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    const wanted: Readonly<Record<string, number>> = {
      ArrowLeft: measure() - direction * STEP,
      ArrowRight: measure() + direction * STEP,
      Home: 0,
      End: innerWidth,
    };
    if (wanted[event.key] === undefined) return;
    event.preventDefault();
    resize(wanted[event.key] ?? 0);
  };
  const onPointerDown = ({ currentTarget, pointerId, clientX }: PointerEvent): void => {
    currentTarget.setPointerCapture(pointerId);
    drag.current = { x: clientX, width: measure() };
  };
  const onPointerMove = ({ currentTarget, pointerId, clientX }: PointerEvent): void => {
    if (!currentTarget.hasPointerCapture(pointerId)) return;
    resize(drag.current.width + direction * (clientX - drag.current.x));
  };
  return (
    <div
      ref={self}
      className="resizer"
      role="separator"
      aria-orientation="vertical"
      aria-valuenow={Math.round((width / innerWidth) * 100)}
      aria-valuetext={`${width} pixels`}
      title={label}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onDoubleClick={reset}
    />
  );
}
