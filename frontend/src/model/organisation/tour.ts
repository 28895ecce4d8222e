/** The guided tour: its steps, their pages, and the signs of their completion. Pure. */

import type { BindingResponse, QuerySummary } from "../api";
import { isOpen } from "../run/states";

export interface TourContents {
  streams: readonly { id: string; name: string }[];
  queries: readonly Pick<QuerySummary, "id" | "name" | "current">[];
  bindings: readonly Pick<BindingResponse, "id" | "name" | "query" | "latest_run">[];
}

/** A person's progress. */
export interface TourState {
  open: boolean;
  /** The name of the step. */
  step: string;
  /** The demo query and the person's own query, by id. */
  shown: string | null;
  own: string | null;
  /** True while the overview offers it. */
  offered: boolean;
}

/** The objects that the tour uses, as far as they exist. */
export interface TourScene {
  stream: TourContents["streams"][number] | null;
  shown: TourContents["queries"][number] | null;
  own: TourContents["queries"][number] | null;
  binding: TourContents["bindings"][number] | null;
}

/** The page of a step, within the organisation; with `missing`, the page to visit first. */
export interface TourPlace {
  to: string;
  action: string;
  missing?: string;
}

export interface TourStep {
  name: string;
  title: string;
  words: readonly string[];
  /** The task; null if the step only has to be read. */
  task: string | null | ((scene: TourScene) => string);
  place: (scene: TourScene) => TourPlace;
  /** An alternative page for the task. */
  or?: TourPlace;
  /** A selector of the element that appears when the task is done. */
  sign?: string;
  /** True if the tour stays at the step after its task, because there is something to see. */
  stays?: true;
  /** Return whether the task is done, judging by the organisation's objects. */
  done?: (scene: TourScene) => boolean;
  /** A selector of the element that the step is about. */
  about?: string;
  /** The permission that the task needs. */
  needs?: "edit" | "operate";
}

const TEMPLATES = { to: "queries/new?templates", action: "Open the templates" };
const SIMULATOR = "#simulator";
const ROWS = `${SIMULATOR} [role="option"]`;
const PANELS = ".dock-tabs";
const OPEN_ROWS = `.dock-panel:not([data-inert]) ${ROWS}`;

function ofStream({ stream }: TourScene): TourPlace {
  if (stream !== null) return { to: `streams/${stream.id}`, action: "Open the stream" };
  return {
    ...TEMPLATES,
    missing:
      "This organisation has no streams yet. Start from a template: it creates a stream with some rows, and a query on it.",
  };
}

function ofResponse({ shown }: TourScene): TourPlace {
  if (shown !== null) return { to: `queries/${shown.id}`, action: "Open the query" };
  return {
    ...TEMPLATES,
    missing:
      "This organisation has no queries yet. Start from a template: it creates a query and the stream that it reads.",
  };
}

function ofNew({ shown }: TourScene): TourPlace {
  return shown === null ? TEMPLATES : { to: `queries/new?copy=${shown.id}`, action: `Copy ${shown.name}` };
}

const NO_OWN = "You have no query of your own yet. Create one first.";

function ofOwn({ own }: TourScene): TourPlace {
  return own === null ? { ...TEMPLATES, missing: NO_OWN } : { to: `queries/${own.id}`, action: `Open ${own.name}` };
}

function ofBinding({ own, binding }: TourScene): TourPlace {
  if (own === null) return { ...TEMPLATES, missing: NO_OWN };
  return binding === null
    ? { to: `runs?new=${own.id}`, action: `Bind ${own.name}` }
    : { to: "runs", action: "Open the runs" };
}

function ofStart(scene: TourScene): TourPlace {
  const { own, binding } = scene;
  if (own === null || binding !== null) return ofBinding(scene);
  return { ...ofBinding(scene), missing: `${own.name} has no binding yet. Create one first.` };
}

function ofRun(scene: TourScene): TourPlace {
  const run = scene.binding?.latest_run ?? null;
  if (run !== null) return { to: `runs/${run.id}`, action: "Open its run" };
  return scene.binding === null
    ? ofStart(scene)
    : {
        to: "runs",
        action: "Open the bindings",
        missing: `${scene.binding.name} has not been started yet. Start it first.`,
      };
}

const LOOKING: readonly TourStep[] = [
  {
    name: "stream",
    title: "A stream is a table that never ends",
    words: [
      "A query on a table reads all rows and is done. A stream keeps receiving rows, so a query on a stream never finishes reading.",
      "Each row has an event time: when it happened, not when it arrived. Networks and devices delay rows, so some arrive late, after rows that happened later.",
      "The page of a stream shows its fields and time settings, and a sample in order of arrival.",
    ],
    task: null,
    place: ofStream,
  },
  {
    name: "sample",
    title: "Run a query on a few rows",
    words: [
      "This is a query on a stream, as SQL and as a graph. Below it are its results on a sample: the first rows of the stream. Nothing is stored.",
      "The simulator draws each step of the query on the same rows.",
    ],
    task: "Open the panel “Simulator” below the query.",
    place: ofResponse,
    about: PANELS,
    sign: OPEN_ROWS,
  },
  {
    name: "scrub",
    title: "Let the rows arrive one by one",
    words: [
      "Rows are listed from top to bottom in order of arrival. Event time runs from left to right. A row left of the line is late.",
    ],
    task: "Drag the slider under the drawing to the left, or press “step back”, and watch results appear and disappear.",
    place: ofResponse,
    about: `${SIMULATOR} .sim-transport`,
    sign: `${SIMULATOR} .sim-transport[data-scrubbed]`,
  },
  {
    name: "late",
    title: "Select a late row",
    words: [
      "Each row has an outcome: on time; reordered (out of order but still on time); or late, and then dropped, adjusted, shifted or kept.",
    ],
    task: "Click a late row. If no row is late, add more rows, or move a row to the left.",
    place: ofResponse,
    about: `${SIMULATOR} [role="option"][data-late]`,
    sign: `${SIMULATOR} [role="option"][data-late][aria-selected="true"]`,
  },
  {
    name: "cti",
    title: "Why it is late: the CTI",
    words: [
      "“Explanation”, next to the drawing, names the CTI that the row missed. A CTI (current time increment) declares that all time before it is final; other systems call this a watermark.",
      "Without CTIs no window could ever close, because an earlier row might still arrive. A row that starts before the CTI is late. The staircase line in the drawing is the CTI.",
      "The CTI follows the rows at a distance, the delay. With a longer delay fewer rows are late, but results are final later.",
    ],
    task: null,
    place: ofResponse,
    about: `${SIMULATOR} .sim-why`,
  },
];

const CHANGING: readonly TourStep[] = [
  {
    name: "delay",
    title: "Try a longer delay",
    words: ["The time settings of each input are above the drawing. Changes apply at once, but only in the simulator."],
    task: "Change “delay”, for example to 30s, or press “Try …” next to a late row.",
    place: ofResponse,
    about: `${SIMULATOR} .sim-strips`,
    sign: `${SIMULATOR} .sim-strip[data-tried]`,
  },
  {
    name: "changed",
    title: "Effects of your delay",
    words: [
      "The line above the drawing counts rows with a new outcome and results with new values. Both are marked in the drawing.",
      "“Apply” writes the delay into the SQL; “Revert” discards it.",
    ],
    task: "Inspect the marked rows, then press “Revert”: the next steps need late rows.",
    place: ofResponse,
    about: `${SIMULATOR} .sim-changes`,
    sign: `${SIMULATOR} .sim-strips:not(:has([data-tried]))`,
  },
  {
    name: "policies",
    title: "Four policies for late rows",
    words: [
      "The delay decides which rows are late. The late policy decides what happens to them: drop, adjust, shift or keep.",
      "Each column shows the same sample under one policy, with the differing results below.",
    ],
    task: "Open the tab “Compare policies”, and compare the rows and results that each policy keeps.",
    stays: true,
    place: ofResponse,
    about: `${SIMULATOR} .sim-tabs`,
    sign: `${SIMULATOR} [role="tab"][data-key="policies"][aria-selected="true"]`,
  },
  {
    name: "what_if",
    title: "Which delay is enough?",
    words: [
      "Instead of trying delays one by one, see the share of rows that each delay would keep.",
      "Where the curve becomes flat, a longer delay keeps hardly any more rows, but delays every result.",
    ],
    task: "Open the tab “What if”, and find where the curve becomes flat.",
    stays: true,
    place: ofResponse,
    about: `${SIMULATOR} .sim-tabs`,
    sign: `${SIMULATOR} [role="tab"][data-key="what_if"][aria-selected="true"]`,
  },
];

const MAKING: readonly TourStep[] = [
  {
    name: "own",
    title: "Create your own query",
    words: [
      "A copy reads the same stream. A template solves a real task and includes its stream, its rows and a scenario that tests it.",
    ],
    task: "Create a query: press “Create query” for a copy (you can rename it), or “Use template” for a template. The tour continues with the query that you create or open.",
    place: ofNew,
    or: { to: "queries/new?templates", action: "Or use a template" },
    done: ({ own }) => own !== null,
    needs: "edit",
  },
  {
    name: "save",
    title: "Change it, and save a version",
    words: [
      "Change a number in the SQL, or a node on the canvas; both stay in sync. Active runs never change: saving creates a new version, and old versions stay.",
    ],
    task: "Change something, then press “Save new version”. You can also skip this step.",
    place: ofOwn,
    done: ({ own }) => (own?.current.number ?? 0) > 1,
    needs: "edit",
  },
  {
    name: "bind",
    title: "Bind it to its stream",
    words: [
      "A query names its inputs. A binding connects each input to a stream, and keeps the state between runs. So one query can run several times.",
    ],
    task: "Enter a name for the binding and create it.",
    place: ofBinding,
    done: ({ binding }) => binding !== null,
    needs: "edit",
  },
  {
    name: "start",
    title: "Start it",
    words: ["From now on it is not a sample: Spark reads the stream until you stop the run."],
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
      "This page shows the run: its CTI, its results as they become final, and all late and malformed rows with their reasons.",
      "Results appear when the CTI passes the end of a window, so the first take a moment. This is the end of the tour; the guide in the “?” menu explains the rest.",
    ],
    task: null,
    place: ofRun,
  },
];

export const TOUR: readonly TourStep[] = [...LOOKING, ...CHANGING, ...MAKING];

export const NOT_BEGUN: TourState = { open: false, step: "stream", shown: null, own: null, offered: true };

/** Parse the stored state of a tour; an unreadable one counts as a tour that was not started. */
export function readTour(text: string | null): TourState {
  try {
    const found = JSON.parse(text ?? "null") as Partial<TourState> | null;
    const known = TOUR.some(({ name }) => name === found?.step);
    return known ? { ...NOT_BEGUN, ...found } : NOT_BEGUN;
  } catch {
    return NOT_BEGUN;
  }
}

/** The demo's objects, if they exist; otherwise the first of each kind. */
const DEMO = { stream: "cars", query: "speeding" } as const;

/** Return the organisation's objects that the tour uses. */
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

/** Return true if the page with this path, within the organisation, is the one of the step. */
export function isThere(path: string, { to }: Pick<TourPlace, "to">): boolean {
  return path === to.replace(/\?.*$/, "");
}

/** Return the query of a designer page, by id; null for other pages. */
export function queryOfPath(path: string): string | null {
  const id = /^queries\/([^/]+)$/.exec(path)?.[1] ?? null;
  return id === "new" ? null : id;
}

/** Return the step `by` steps further, within the first and the last. */
export function stepBeside(name: string, by: number): string {
  const at = TOUR.findIndex((step) => step.name === name);
  const wanted = Math.min(Math.max(at + by, 0), TOUR.length - 1);
  return TOUR[wanted]?.name ?? NOT_BEGUN.step;
}
