import { api, unwrap } from "./client";

/** The page size of lists; the server has the same (`LISTED`). */
const LISTED = 200;

/** Load all pages of a list sorted by name. */
export async function everyPage<T extends { name: string }>(
  read: (after: string | undefined) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const all: T[] = [];
  for (;;) {
    const page = await read(all.at(-1)?.name);
    all.push(...page);
    if (page.length < LISTED) return all;
  }
}

/** The organisation's streams, without their definitions, for `[slug, "streams"]`. */
export function everyStream(slug: string) {
  return everyPage((after) =>
    unwrap(
      api.GET("/api/t/{slug}/streams/", { params: { path: { slug }, query: after === undefined ? {} : { after } } }),
    ),
  );
}

/** The organisation's queries, without their graphs, for `[slug, "queries"]`. */
export function everyQuery(slug: string) {
  return everyPage((after) =>
    unwrap(
      api.GET("/api/t/{slug}/queries/", { params: { path: { slug }, query: after === undefined ? {} : { after } } }),
    ),
  );
}
