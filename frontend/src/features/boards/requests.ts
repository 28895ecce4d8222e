import { keepPreviousData, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { useSlug } from "../../lib/account/session";
import { api, unwrap } from "../../lib/api/client";
import type { TileFigures } from "../../model/api";
import type { BoardTile } from "../../model/boards/tiles";

const CHART_MS = 15_000;
const LATENESS_MS = 5_000;

/** The place that the figures of tiles are read from: as a member, or by a link. */
export interface FiguresSource {
  key: readonly unknown[];
  read: (tile: BoardTile, at: number, signal: AbortSignal) => Promise<TileFigures>;
}

export const FiguresContext = createContext<FiguresSource | null>(null);

/** Figures of a member's board with this range (null: all results) and these filters. */
export function useMemberFigures(seconds: number | null, where: readonly string[]): FiguresSource {
  const slug = useSlug();
  return {
    key: [slug, "boards", "figures", seconds, where],
    read: (tile, _, signal) =>
      unwrap(
        api.POST("/api/t/{slug}/boards/figures/", {
          params: { path: { slug } },
          body: { tile, seconds: seconds as 900 | null, where: [...where] },
          signal,
        }),
      ),
  };
}

/** The figures of the tile at a place, read again while the page is visible; a change of title or size reads nothing. */
export function useFigures(tile: BoardTile, at: number): UseQueryResult<TileFigures> {
  const source = useContext(FiguresContext);
  const plain = { ...tile, title: "Tile", width: 4, height: 2 };
  return useQuery({
    queryKey: [...(source?.key ?? []), plain, at],
    queryFn: ({ signal }) => {
      if (source === null) throw new Error("A tile has no source of figures.");
      return source.read(plain, at, signal);
    },
    enabled: tile.kind !== "text" && source !== null,
    refetchInterval: tile.kind === "chart" ? CHART_MS : LATENESS_MS,
    placeholderData: keepPreviousData,
    retry: false,
  });
}
