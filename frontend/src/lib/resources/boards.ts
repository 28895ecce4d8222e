import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { BoardDefinition, BoardResponse } from "../../model/api";
import { useSlug } from "../account/session";
import { api, unwrap } from "../api/client";

/** The organisation's boards by name. */
export function useBoards() {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "boards"],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/boards/", { params: { path: { slug } } })),
  });
}

/** The newest version of a board. */
export function useBoard(board: string) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "boards", board],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/boards/{board}/", { params: { path: { slug, board } } })),
    enabled: board !== "",
  });
}

/** Requests that change boards. */
export function useBoardChanges() {
  const slug = useSlug();
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: [slug, "boards"] });
  return {
    load: (board: string) => unwrap(api.GET("/api/t/{slug}/boards/{board}/", { params: { path: { slug, board } } })),
    create: async (name: string, definition: BoardDefinition) => {
      const body = { name, definition };
      const made = await unwrap(api.POST("/api/t/{slug}/boards/", { params: { path: { slug } }, body }));
      await refresh();
      return made;
    },
    change: async ({ id, name, version }: BoardResponse, definition: BoardDefinition) => {
      const params = { path: { slug, board: id } };
      const body = { name, definition, parent: version };
      const made = await unwrap(api.PUT("/api/t/{slug}/boards/{board}/", { params, body }));
      await refresh();
      return made;
    },
    remove: async (board: string) => {
      await unwrap(api.DELETE("/api/t/{slug}/boards/{board}/", { params: { path: { slug, board } } }));
      await refresh();
    },
  };
}
