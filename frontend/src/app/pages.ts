/** The pages of an organisation, each with its address below `/t/<slug>`. */

import type { ComponentType } from "react";

interface OrganisationPage {
  /** "" is the first page. */
  path: string;
  /** The label in the navigation, if the page is listed there. */
  word?: string;
  /** The path of its icon in the navigation, in a square of 20 by 20. */
  icon?: string;
  /** Load the page when it is first opened. */
  load: () => Promise<{ Component: ComponentType }>;
}

const adapters = async () => ({ Component: (await import("../features/docs/AdaptersPage")).AdaptersPage });

export const ORGANISATION_PAGES: readonly OrganisationPage[] = [
  {
    path: "",
    word: "Live",
    icon: "M2 10.5h3.5l2.5-7 4 13 2.5-6H18",
    load: async () => ({ Component: (await import("../features/overview")).HomePage }),
  },
  {
    path: "boards",
    word: "Boards",
    icon: "M3 3h6v8H3zM11 3h6v5h-6zM11 10h6v7h-6zM3 13h6v4H3z",
    load: async () => ({ Component: (await import("../features/boards")).BoardsPage }),
  },
  { path: "boards/:board", load: async () => ({ Component: (await import("../features/boards")).BoardPage }) },
  {
    path: "alerts",
    word: "Alerts",
    icon: "M5 8.5a5 5 0 0 1 10 0v4l1.5 2.5h-13L5 12.5zM8.2 17.5h3.6",
    load: async () => ({ Component: (await import("../features/alerts")).AlertsPage }),
  },
  {
    path: "queries",
    word: "Queries",
    icon: "M2.5 7.5h5v5h-5zM12.5 2.5h5v5h-5zM12.5 12.5h5v5h-5zM7.5 10h2.5M10 5v10M10 5h2.5M10 15h2.5",
    load: async () => ({ Component: (await import("../features/designer")).QueriesPage }),
  },
  {
    path: "streams",
    word: "Streams",
    icon: "M2 6c2.7-2.5 5.3 2.5 8 0s5.3-2.5 8 0M2 10.5c2.7-2.5 5.3 2.5 8 0s5.3-2.5 8 0M2 15c2.7-2.5 5.3 2.5 8 0s5.3-2.5 8 0",
    load: async () => ({ Component: (await import("../features/streams")).StreamsPage }),
  },
  { path: "streams/new", load: async () => ({ Component: (await import("../features/streams")).NewStreamPage }) },
  { path: "streams/files", load: async () => ({ Component: (await import("../features/streams")).FilesPage }) },
  {
    path: "streams/:stream/edit",
    load: async () => ({ Component: (await import("../features/streams")).EditStreamPage }),
  },
  { path: "streams/:stream", load: async () => ({ Component: (await import("../features/streams")).StreamPage }) },
  { path: "queries/new", load: async () => ({ Component: (await import("../features/designer")).NewQueryPage }) },
  { path: "queries/:query", load: async () => ({ Component: (await import("../features/designer")).QueryPage }) },
  { path: "live/:binding", load: async () => ({ Component: (await import("../features/overview")).DashboardPage }) },
  {
    path: "live/:binding/results",
    load: async () => ({ Component: (await import("../features/monitoring/resultCharts/ResultsPage")).ResultsPage }),
  },
  {
    path: "live/:binding/ledger",
    load: async () => ({ Component: (await import("../features/overview")).LedgerPage }),
  },
  {
    path: "incidents/:incident",
    load: async () => ({ Component: (await import("../features/overview")).IncidentPage }),
  },
  { path: "adapters", load: adapters },
  { path: "adapters/:direction", load: adapters },
  { path: "adapters/:direction/:kind", load: adapters },
  { path: "runs", load: async () => ({ Component: (await import("../features/runs")).RunsPage }) },
  { path: "bindings/:binding", load: async () => ({ Component: (await import("../features/runs")).BindingPage }) },
  { path: "runs/:run", load: async () => ({ Component: (await import("../features/monitoring")).RunPage }) },
  {
    path: "runs/:run/logs",
    load: async () => ({ Component: (await import("../features/monitoring/page/LogPage")).LogPage }),
  },
  {
    path: "confirmations",
    load: async () => ({ Component: (await import("../features/confirmations")).ConfirmationsPage }),
  },
  {
    path: "confirmations/:confirmation",
    load: async () => ({ Component: (await import("../features/confirmations")).ConfirmationPage }),
  },
  { path: "tokens", load: async () => ({ Component: (await import("../features/admin")).TokensPage }) },
  {
    path: "admin/*",
    word: "Admin",
    icon: "M3 17.5v-10h5v-5h9v15zM3 17.5h14M11 6h2.5M11 9.5h2.5M11 13h2.5M5.5 11h0M5.5 14h0",
    load: async () => ({ Component: (await import("../features/admin")).AdminPages }),
  },
];

interface NavigationEntry {
  page: string;
  word: string;
  icon: string;
}

/** The entries of the navigation: the first part of each address, its label and its icon. */
export const NAVIGATION: readonly NavigationEntry[] = ORGANISATION_PAGES.flatMap(({ path, word, icon }) =>
  word === undefined || icon === undefined ? [] : [{ page: path.replace("/*", ""), word, icon }],
);

/** Pages that belong to an entry of the navigation although their addresses begin differently. */
const BELONGS: Record<string, string> = {
  incidents: "alerts",
  live: "",
  runs: "",
  bindings: "",
  adapters: "streams",
  tokens: "admin",
  confirmations: "admin",
};

/** Return the entry of the navigation that the page at `rest`, the address within the organisation, belongs to. */
export function currentEntry(rest: string): string {
  const [first = ""] = rest.split("/");
  return BELONGS[first] ?? first;
}
