import { formatCount } from "../../lib/numbers";

export function Newer({ count, onShow }: { count: number; onShow: () => unknown }) {
  if (count === 0) return null;
  return (
    <button type="button" className="button" onClick={() => void onShow()}>
      {formatCount(count)} newer: show
    </button>
  );
}

interface MoreProps {
  pages: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  what: string;
}

export function More({ pages, what }: MoreProps) {
  if (!pages.hasNextPage) return null;
  return (
    <p className="more">
      <button
        type="button"
        className="button"
        disabled={pages.isFetchingNextPage}
        onClick={() => void pages.fetchNextPage()}
      >
        {pages.isFetchingNextPage ? `Loading ${what}…` : `Load ${what}`}
      </button>
    </p>
  );
}
