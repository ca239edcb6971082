import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface VirtualListProps<Row> {
  label: string;
  rows: readonly Row[];
  /** Of one row, in px. */
  height: number;
  idOf: (row: Row) => string;
  selected: string | undefined;
  onSelect: (id: string) => void;
  children: (row: Row) => ComponentChildren;
}

/** How many rows beyond the visible ones are rendered, so that scrolling shows no gap. */
const SPARE = 8;

/**
 * A list of which only the visible rows exist, however long it is. New rows come in at the top; a user who has scrolled
 * down keeps seeing the same rows. Arrow keys, Home and End move the selection.
 */
export function VirtualList<Row>(props: VirtualListProps<Row>) {
  const { rows, height, idOf } = props;
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const first = useRef<string | undefined>(undefined);

  const look = () => {
    const { current } = box;
    if (current) setView({ top: current.scrollTop, height: current.clientHeight });
  };
  useEffect(() => {
    look();
    const observer = new ResizeObserver(look);
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    const { current } = box;
    const before = first.current;
    first.current = rows[0] && idOf(rows[0]);
    if (!current || before === undefined || current.scrollTop < height) return;
    const moved = rows.findIndex((row) => idOf(row) === before);
    if (moved > 0) current.scrollTop += moved * height;
  }, [rows]);

  const from = Math.max(0, Math.floor(view.top / height) - SPARE);
  const to = Math.min(rows.length, Math.ceil((view.top + view.height) / height) + SPARE);
  const place = rows.findIndex((row) => idOf(row) === props.selected);

  const select = (index: number) => {
    const row = rows[Math.min(Math.max(index, 0), rows.length - 1)];
    const { current } = box;
    if (!row || !current) return;
    props.onSelect(idOf(row));
    const top = rows.indexOf(row) * height;
    if (top < current.scrollTop) current.scrollTop = top;
    else if (top + height > current.scrollTop + current.clientHeight)
      current.scrollTop = top + height - current.clientHeight;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(view.height / height) - 1);
    const moves: Record<string, number> = {
      ArrowDown: place + 1,
      ArrowUp: place - 1,
      PageDown: place + page,
      PageUp: place - page,
      Home: 0,
      End: rows.length - 1,
    };
    const target = moves[event.key];
    if (target === undefined) return;
    event.preventDefault();
    select(target);
  };
  const optionId = (id: string) => `row-${id}`;

  return (
    <div
      ref={box}
      class="fill virtual"
      role="listbox"
      aria-label={props.label}
      aria-activedescendant={place >= from && place < to && props.selected ? optionId(props.selected) : undefined}
      tabIndex={0}
      onScroll={look}
      onKeyDown={onKeyDown}
      onClick={(event) => {
        const id = event.target instanceof Element && event.target.closest('[data-id]')?.getAttribute('data-id');
        if (id) props.onSelect(id);
      }}
    >
      <div role="presentation" style={{ height: `${rows.length * height}px` }}>
        {rows.slice(from, to).map((row, index) => {
          const id = idOf(row);
          return (
            <div
              key={id}
              id={optionId(id)}
              class="row virtual-row"
              role="option"
              aria-selected={id === props.selected}
              aria-setsize={rows.length}
              aria-posinset={from + index + 1}
              style={{ transform: `translateY(${(from + index) * height}px)`, height: `${height}px` }}
              tabIndex={-1}
              data-id={id}
            >
              {props.children(row)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
