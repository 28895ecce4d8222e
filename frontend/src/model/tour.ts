/** The guided tour: its steps, where each is done, and how it is seen that it is done. Pure. */

import type { BindingShown, QueryShown } from "./api";
import { isOpen } from "./states";

export interface TourContents {
  streams: readonly { id: string; name: string }[];
  queries: readonly Pick<QueryShown, "id" | "name" | "current">[];
  bindings: readonly Pick<BindingShown, "id" | "name" | "query" | "latest_run">[];
}

/** How far somebody has come. */
export interface TourState {
  open: boolean;
  /** The name of the step. */
  step: string;
  /** The query that is shown, and the one that the person made, by id. */
  shown: string | null;
  own: string | null;
  /** Whether it is still offered on the overview. */
  offered: boolean;
}

/** What the tour is told on, as far as it is there. */
export interface TourScene {
  stream: TourContents["streams"][number] | null;
  shown: TourContents["queries"][number] | null;
  own: TourContents["queries"][number] | null;
  binding: TourContents["bindings"][number] | null;
}

/** Where a step is done inside of the organisation; with `missing`, what leads there first. */
export interface TourPlace {
  to: string;
  action: string;
  missing?: string;
}

export interface TourStep {
  name: string;
  title: string;
  words: readonly string[];
  /** What is to be done; null: it is to be read. */
  task: string | null | ((scene: TourScene) => string);
  place: (scene: TourScene) => TourPlace;
  /** A second way to the same. */
  or?: TourPlace;
  /** What is in the page when the task is done. */
  sign?: string;
  /** Whether it stays when its task is done, for there is something to look at then. */
  stays?: true;
  /** Whether the task is done, by what the organisation has. */
  done?: (scene: TourScene) => boolean;
  /** What of the page the step speaks of. */
  about?: string;
  /** What a role must allow for the task. */
  needs?: "edit" | "operate";
}

const TEMPLATES = { to: "queries/new", action: "See the templates" };
const SIMULATOR = "#simulator";
const ROWS = `${SIMULATOR} [role="option"]`;

function ofStream({ stream }: TourScene): TourPlace {
  if (stream !== null) return { to: `streams/${stream.id}`, action: "Take me there" };
  return {
    ...TEMPLATES,
    missing:
      "This organisation has no stream yet. Begin with a template: it makes a stream with some rows, and a query on it.",
  };
}

function ofShown({ shown }: TourScene): TourPlace {
  if (shown !== null) return { to: `queries/${shown.id}`, action: "Take me there" };
  return {
    ...TEMPLATES,
    missing:
      "There is no query here to look at. Begin with a template: it makes a query, and the stream that it reads.",
  };
}

function ofNew({ shown }: TourScene): TourPlace {
  return shown === null
    ? TEMPLATES
    : { to: `queries/new?copy=${shown.id}`, action: `Begin with a copy of ${shown.name}` };
}

const NO_OWN = "There is no query of your own yet, or it was deleted. Make one first.";

function ofOwn({ own }: TourScene): TourPlace {
  return own === null
    ? { ...TEMPLATES, missing: NO_OWN }
    : { to: `queries/${own.id}`, action: `Take me to ${own.name}` };
}

function ofBinding({ own, binding }: TourScene): TourPlace {
  if (own === null) return { ...TEMPLATES, missing: NO_OWN };
  return binding === null
    ? { to: `runs?new=${own.id}`, action: `Bind ${own.name}` }
    : { to: "runs", action: "Take me there" };
}

function ofStart(scene: TourScene): TourPlace {
  const { own, binding } = scene;
  if (own === null || binding !== null) return ofBinding(scene);
  return { ...ofBinding(scene), missing: `${own.name} has no binding yet. Make one first.` };
}

function ofRun(scene: TourScene): TourPlace {
  const run = scene.binding?.latest_run ?? null;
  if (run !== null) return { to: `runs/${run.id}`, action: "Take me to its run" };
  return scene.binding === null
    ? ofStart(scene)
    : { to: "runs", action: "See the bindings", missing: `${scene.binding.name} was not started yet. Start it first.` };
}

const LOOKING: readonly TourStep[] = [
  {
    name: "stream",
    title: "A stream is a table that is never finished",
    words: [
      "You know tables: rows lie there, and a query reads them all. The rows of a stream keep coming, so a query over it is never done reading.",
      "Each row says when it happened. That is its event time, and it is not when it arrives: networks and devices hold rows back, so some come late, behind others that happened after them.",
      "The page of a stream says which fields a row has and how time moves; below stands a sample in order of arrival.",
    ],
    task: null,
    place: ofStream,
  },
  {
    name: "sample",
    title: "Give a query some rows and watch",
    words: [
      "This is a query on a stream: as SQL, and as a graph of the same. Its simulator runs it on a few rows and draws all that happens. Nothing is written anywhere.",
    ],
    task: "In the simulator choose “From the stream”, press “Read the first rows”, then “Use”.",
    place: ofShown,
    about: SIMULATOR,
    sign: ROWS,
  },
  {
    name: "scrub",
    title: "Let the rows arrive one by one",
    words: [
      "Rows stand in order of arrival from top to bottom, and event time goes from left to right. A row that lies left of the line was overtaken by time.",
    ],
    task: "Drag the slider under the drawing to the left, or press “step back”, and see results come and go.",
    place: ofShown,
    about: `${SIMULATOR} .sim-transport`,
    sign: `${SIMULATOR} .sim-transport[data-scrubbed]`,
  },
  {
    name: "late",
    title: "Choose a late row",
    words: [
      "Each row says what became of it: on time; reordered, so out of order but still in time; or late, and then dropped, adjusted, shifted or kept.",
    ],
    task: "Click a row that came late. If none is late, take more rows, or move a row to the left.",
    place: ofShown,
    about: `${SIMULATOR} [role="option"][data-late]`,
    sign: `${SIMULATOR} [role="option"][data-late][aria-selected="true"]`,
  },
  {
    name: "cti",
    title: "Why it is late: the CTI",
    words: [
      "“Why it is so”, beside the drawing, names the CTI that the row missed. A CTI is a promise of the stream: everything before this moment is final.",
      "Without it no window could ever close, for an earlier row might still come. With it, a row that starts before the CTI is late. The line that climbs through the drawing is the CTI.",
      "The CTI follows the rows at a distance, the delay: the longer it waits, the fewer rows are late, and the later results are final.",
    ],
    task: null,
    place: ofShown,
    about: `${SIMULATOR} .sim-why`,
  },
];

const CHANGING: readonly TourStep[] = [
  {
    name: "delay",
    title: "Wait longer, and see what changes",
    words: [
      "Above the drawing stand the settings of time of each input. What you try there counts at once, for the simulator alone.",
    ],
    task: "Change “delay”, for example to 30s, or press “Try …” beside a late row.",
    place: ofShown,
    about: `${SIMULATOR} .sim-strips`,
    sign: `${SIMULATOR} .sim-strip[data-tried]`,
  },
  {
    name: "changed",
    title: "What your delay changed",
    words: [
      "The line above the drawing counts the rows with another outcome and the results with other values; both are marked in the drawing.",
      "“Apply” would write the delay into the SQL; “Revert” takes it back.",
    ],
    task: "Look at what is marked, then press “Revert”: the next steps are about rows that are late.",
    place: ofShown,
    about: `${SIMULATOR} .sim-changes`,
    sign: `${SIMULATOR} .sim-strips:not(:has([data-tried]))`,
  },
  {
    name: "policies",
    title: "Four ways to treat what is late",
    words: [
      "The delay says what is late. The late policy says what becomes of it: drop, adjust, shift or keep.",
      "Each column is the same sample under one policy; below them stand the results that differ.",
    ],
    task: "Open the tab “Compare policies”, and compare how many rows and which results each keeps.",
    stays: true,
    place: ofShown,
    about: `${SIMULATOR} .sim-tabs`,
    sign: `${SIMULATOR} [role="tab"][data-key="policies"][aria-selected="true"]`,
  },
  {
    name: "what_if",
    title: "Which delay would be enough?",
    words: [
      "Instead of trying delays one by one, see the share of rows that each delay would have kept.",
      "Where the curve becomes flat, waiting longer keeps hardly a row more, and makes every result wait.",
    ],
    task: "Open the tab “What if”, and find where the curve becomes flat.",
    stays: true,
    place: ofShown,
    about: `${SIMULATOR} .sim-tabs`,
    sign: `${SIMULATOR} [role="tab"][data-key="what_if"][aria-selected="true"]`,
  },
];

const MAKING: readonly TourStep[] = [
  {
    name: "own",
    title: "Make a query of your own",
    words: [
      "A copy reads the same stream. A template begins with a real task and brings its stream, its rows and a scenario that tests it.",
    ],
    task: "Make a query: “Create the query” for a copy (give it another name if you like), or “Begin with this” at a template. The tour goes on with the query that you make or open.",
    place: ofNew,
    or: { to: "queries/new", action: "Or begin with a template" },
    done: ({ own }) => own !== null,
    needs: "edit",
  },
  {
    name: "save",
    title: "Change it, and save a version",
    words: [
      "Change a number in the SQL, or a node on the canvas; both say the same. What runs never changes by itself: saving makes a new version, and old ones stay.",
    ],
    task: "Change something, then press “Save a new version”. You may also leave it as it is and go on.",
    place: ofOwn,
    done: ({ own }) => (own?.current.number ?? 0) > 1,
    needs: "edit",
  },
  {
    name: "bind",
    title: "Bind it to its stream",
    words: [
      "A query names its inputs; a binding says which stream feeds each, and keeps the state between runs. So one query can run in several places.",
    ],
    task: "Give the binding a name and create it.",
    place: ofBinding,
    done: ({ binding }) => binding !== null,
    needs: "edit",
  },
  {
    name: "start",
    title: "Start it",
    words: ["From now on it is not a sample: Spark reads the stream for as long as the run lasts."],
    task: ({ binding }) => `Press “Start” in the row of ${binding?.name ?? "your binding"}.`,
    place: ofStart,
    about: "main table",
    done: ({ binding }) => binding?.latest_run != null && isOpen(binding.latest_run),
    needs: "operate",
  },
  {
    name: "run",
    title: "Your query, running",
    words: [
      "This page shows the run: its CTI, its results as they become final, and below them every late and malformed row with its reason.",
      "Results come when the CTI passes the end of a window, so the first take a moment. That was the tour: the guide behind “?” says the rest.",
    ],
    task: null,
    place: ofRun,
  },
];

export const TOUR: readonly TourStep[] = [...LOOKING, ...CHANGING, ...MAKING];

export const NOT_BEGUN: TourState = { open: false, step: "stream", shown: null, own: null, offered: true };

/** What was kept of a tour; what cannot be read is a tour that was not begun. */
export function readTour(text: string | null): TourState {
  try {
    const found = JSON.parse(text ?? "null") as Partial<TourState> | null;
    const known = TOUR.some(({ name }) => name === found?.step);
    return known ? { ...NOT_BEGUN, ...found } : NOT_BEGUN;
  } catch {
    return NOT_BEGUN;
  }
}

/** The demo's things where they are there, else the first of each. */
const DEMO = { stream: "cars", query: "speeding" } as const;

/** What of the organisation the tour is told on. */
export function sceneOf({ streams, queries, bindings }: TourContents, state: TourState): TourScene {
  const own = queries.find(({ id }) => id === state.own) ?? null;
  const others = queries.filter(({ id }) => id !== state.own);
  return {
    stream: streams.find(({ name }) => name === DEMO.stream) ?? streams[0] ?? null,
    shown:
      others.find(({ id }) => id === state.shown) ??
      others.find(({ name }) => name === DEMO.query) ??
      others[0] ??
      null,
    own,
    binding: own === null ? null : (bindings.find(({ query }) => query === own.id) ?? null),
  };
}

/** Whether the page with this path, inside of the organisation, is where the step is done. */
export function isThere(path: string, { to }: Pick<TourPlace, "to">): boolean {
  return path === to.replace(/\?.*$/, "");
}

/** The query of a page of the designer, by id; null elsewhere. */
export function queryOfPath(path: string): string | null {
  const id = /^queries\/([^/]+)$/.exec(path)?.[1] ?? null;
  return id === "new" ? null : id;
}

/** The step `by` steps further; the first and the last are the ends. */
export function stepBeside(name: string, by: number): string {
  const at = TOUR.findIndex((step) => step.name === name);
  const wanted = Math.min(Math.max(at + by, 0), TOUR.length - 1);
  return TOUR[wanted]?.name ?? NOT_BEGUN.step;
}
