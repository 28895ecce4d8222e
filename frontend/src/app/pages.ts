/** The pages of an organisation: each stands here alone, with its address below `/t/<slug>`. */

import type { ComponentType } from "react";

interface OrganisationPage {
  /** "" is the first page. */
  path: string;
  /** What the navigation calls it, where it stands there. */
  word?: string;
  /** Loads it when it is first opened. */
  load: () => Promise<{ Component: ComponentType }>;
}

const adapters = async () => ({ Component: (await import("../features/docs/AdaptersPage")).AdaptersPage });

export const ORGANISATION_PAGES: readonly OrganisationPage[] = [
  { path: "", load: async () => ({ Component: (await import("../features/overview/OverviewPage")).OverviewPage }) },
  {
    path: "streams",
    word: "Streams",
    load: async () => ({ Component: (await import("../features/streams")).StreamsPage }),
  },
  { path: "streams/new", load: async () => ({ Component: (await import("../features/streams")).NewStreamPage }) },
  { path: "streams/files", load: async () => ({ Component: (await import("../features/streams")).FilesPage }) },
  {
    path: "streams/:stream/edit",
    load: async () => ({ Component: (await import("../features/streams")).EditStreamPage }),
  },
  { path: "streams/:stream", load: async () => ({ Component: (await import("../features/streams")).StreamPage }) },
  {
    path: "queries",
    word: "Queries",
    load: async () => ({ Component: (await import("../features/designer")).QueriesPage }),
  },
  { path: "queries/new", load: async () => ({ Component: (await import("../features/designer")).NewQueryPage }) },
  { path: "queries/:query", load: async () => ({ Component: (await import("../features/designer")).QueryPage }) },
  { path: "adapters", load: adapters },
  { path: "adapters/:direction", load: adapters },
  { path: "adapters/:direction/:kind", load: adapters },
  { path: "runs", word: "Runs", load: async () => ({ Component: (await import("../features/runs")).RunsPage }) },
  { path: "bindings/:binding", load: async () => ({ Component: (await import("../features/runs")).BindingPage }) },
  { path: "runs/:run", load: async () => ({ Component: (await import("../features/monitoring")).RunPage }) },
  {
    path: "runs/:run/logs",
    load: async () => ({ Component: (await import("../features/monitoring/LogPage")).LogPage }),
  },
  { path: "tokens", load: async () => ({ Component: (await import("../features/admin")).TokensPage }) },
  {
    path: "admin/*",
    word: "Organisation",
    load: async () => ({ Component: (await import("../features/admin")).AdminPages }),
  },
];

/** What the navigation lists: the first part of each address, and its word. */
export const NAVIGATION = ORGANISATION_PAGES.flatMap(({ path, word }) =>
  word === undefined ? [] : [[path.replace("/*", ""), word] as const],
);
