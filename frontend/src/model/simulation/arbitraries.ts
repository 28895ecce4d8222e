/** Random simulations for the tests of this folder: valid in form, with arbitrary content. */

import fc from "fast-check";
import type { CtiStep, PaneState, SimulatedPane, SimulatedRow, Simulation, TrackRow } from "./types";

const tick = fc.integer({ min: 0, max: 60 }).map((seconds) => seconds * 1_000_000);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });

function row(number: number): fc.Arbitrary<SimulatedRow> {
  return fc
    .record({
      start: tick,
      length: fc.integer({ min: 1, max: 9 }),
      outcome: fc.constantFrom("on_time", "reordered", "dropped_late"),
    })
    .map(({ start, length, outcome }) => ({
      number,
      sample_row: number,
      stream: "s",
      input: "s",
      lane: "0",
      position: number - 1,
      kind: "event" as const,
      start,
      end: start + length * 1_000_000,
      payload: {},
      outcome,
      reason: null,
      lateness: null,
      moved_by: null,
      kept: outcome !== "dropped_late",
      kept_start: outcome === "dropped_late" ? null : start,
      kept_end: outcome === "dropped_late" ? null : start + length * 1_000_000,
      cti_met: null,
      set_by: null,
      substream: null,
      absent: null,
      smallest_delay: null,
      why: [],
    }));
}

const after = (last: number) => fc.integer({ min: 0, max: last });

function steps(last: number): fc.Arbitrary<CtiStep[]> {
  return fc
    .uniqueArray(after(last), { maxLength: 6 })
    .chain((places) =>
      fc
        .array(tick, { minLength: places.length, maxLength: places.length })
        .map((ats) =>
          places
            .toSorted((one, other) => one - other)
            .map((place, index) => ({ after: place, at: ats[index] ?? 0, cause: "generated" as const })),
        ),
    );
}

function trackRow(id: number, node: string, last: number): fc.Arbitrary<TrackRow> {
  return fc
    .record({
      after: after(last),
      gone: maybe(after(last)),
      start: tick,
      end: maybe(tick),
      closed: maybe(after(last)),
      n: fc.nat(3),
      deleted: fc.boolean(),
    })
    .map(({ after: since, gone, start, end, closed, n, deleted }) => ({
      id,
      node,
      after: since,
      gone_after: gone,
      start,
      end: closed === null ? end : null,
      closed_after: closed,
      closed_end: closed === null ? null : start + 5_000_000,
      payload: { n },
      edge: null,
      deleted,
      replaces: null,
      closes: null,
      parents: [],
      rows: [],
      released_by: null,
      released_cti: null,
      pane: null,
      why: [],
    }));
}

function states(last: number, start: number): fc.Arbitrary<PaneState[]> {
  const state = fc.record({
    after: after(last),
    added: fc.uniqueArray(fc.integer({ min: 1, max: Math.max(last - 1, 1) }), { maxLength: 3 }),
    n: fc.nat(9),
  });
  return fc.array(state, { maxLength: 5 }).map((drawn) =>
    drawn
      .toSorted((one, other) => one.after - other.after)
      .map(({ after: since, added, n }, index) => ({
        after: since,
        start,
        end: start + 10_000_000,
        added,
        removed: index % 2 > 0 ? added.slice(1) : [],
        values: { n },
      })),
  );
}

function pane(id: number, last: number): fc.Arbitrary<SimulatedPane> {
  const drawn = fc.record({
    start: tick,
    opened: after(last),
    complete: maybe(after(last)),
    closed: maybe(after(last)),
    gone: maybe(after(last)),
    group: fc.constantFrom("a", "b"),
  });
  return drawn.chain(({ start, opened, complete, closed, gone, group }) =>
    states(last, start).map((held) => ({
      id,
      node: "w",
      group: { k: group },
      start,
      end: start + 10_000_000,
      opened,
      complete,
      closed,
      gone,
      into: null,
      states: held,
      spoke: [],
      missed: [],
      why: [],
    })),
  );
}

const numbered = <T>(count: number, of: (index: number) => fc.Arbitrary<T>) =>
  fc.tuple(...Array.from({ length: count }, (_, index) => of(index)));

/** A simulation of up to 12 rows. */
export const drawnSimulation: fc.Arbitrary<Simulation> = fc.nat(12).chain((count) => {
  const last = count + 1;
  return fc
    .record({
      rows: numbered(count, (index) => row(index + 1)),
      steps: steps(last),
      given: fc.nat(6).chain((many) => numbered(many, (index) => trackRow(index, "out", last))),
      panes: fc.nat(5).chain((many) => numbered(many, (index) => pane(index, last))),
    })
    .map(({ rows, steps: stairs, given, panes }) => ({
      rows,
      staircases: [{ node: "s", lane: null, substream: null, steps: stairs }],
      tracks: [
        { node: "s", kind: "input", rows: [] },
        { node: "out", kind: "output", rows: given },
      ],
      panes,
      attempts: [],
      order: ["s", "w", "out"],
      outcomes: {},
      holding: [],
      failures: [],
    }));
});
