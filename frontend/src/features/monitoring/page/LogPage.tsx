import { useEffect, useRef, useState } from "react";
import { useParams } from "react-router";
import { Choices } from "../../../components/actions/Choices";
import { CheckField, TextField } from "../../../components/forms/Field";
import { Empty, ErrorNote, Waiting } from "../../../components/notices/Notices";
import { PageHead } from "../../../components/page/PageHead";
import { Panel } from "../../../components/page/Panel";
import { Instant } from "../../../components/values/Instant";
import { StateMark } from "../../../components/values/StateMark";
import { useSlug } from "../../../lib/account/session";
import { counted } from "../../../lib/numbers";
import type { RunResponse } from "../../../model/api";
import type { Level, Log, LogChoice, LogLine } from "../../../model/run/logLines";
import { isOpen } from "../../../model/run/states";
import { ticksOf } from "../../../model/time/ticks";
import { useRun } from "../requests";
import { useLog } from "./logs";
import { RunTabs } from "./RunTabs";

const LEVELS: readonly (readonly [Level, string])[] = [
  ["all", "All"],
  ["warning", "Warnings and errors"],
  ["error", "Errors"],
];

function Lines({ lines, following }: { lines: readonly LogLine[]; following: boolean }) {
  const place = useRef<HTMLOListElement | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scroll to each new line
  useEffect(() => {
    if (following && place.current !== null) place.current.scrollTop = place.current.scrollHeight;
  }, [lines.length, following]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <ol ref={place} className="log" tabIndex={0} aria-label="Lines of the log">
      {lines.map((line, number) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no key and may be equal
        <li key={number} data-level={line.level}>
          <Instant ticks={ticksOf(line.at)} />
          <span className="level">{line.level}</span>
          <span className="message">{line.message}</span>
        </li>
      ))}
    </ol>
  );
}

function NoLines({ choice, open }: { choice: LogChoice; open: boolean }) {
  if (isChosen(choice)) {
    return (
      <Empty title="No matching lines">
        <p>Choose all levels, or search for another word.</p>
      </Empty>
    );
  }
  return (
    <Empty title={open ? "No log lines yet" : "No log lines"}>
      <p>
        {open
          ? "The first line appears here when a runner takes the run."
          : "The run ended before a runner logged anything, or its log has been removed. Its state above shows how it ended."}
      </p>
    </Empty>
  );
}

function isChosen({ level, text }: LogChoice): boolean {
  return level !== "all" || text.trim() !== "";
}

function noteOf(log: Log, choice: LogChoice): string {
  const held = `${counted(log.lines.length, isChosen(choice) ? "matching line" : "line", "matching lines")}, oldest first, times in UTC`;
  const dropped =
    log.dropped === 0
      ? ""
      : `. ${counted(log.dropped, "older line")} left out: search for a word, or use \`punctual run logs\` to see all`;
  return `${held}${dropped}.`;
}

const SETTLED_MS = 300;

/** Return the text shortly after typing stops, so that not every letter starts a search. */
function useSettled(typed: string): string {
  const [settled, setSettled] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return settled;
}

function LogPanel({ run }: { run: RunResponse }) {
  const open = isOpen(run);
  const [following, setFollowing] = useState(true);
  const [level, setLevel] = useState<Level>("all");
  const [typed, setTyped] = useState("");
  const choice = { level, text: useSettled(typed) };
  const log = useLog(run.id, choice, following && open);
  return (
    <Panel title="Log" note={log.data === undefined ? undefined : noteOf(log.data, choice)}>
      <div className="stack">
        <ErrorNote error={log.error} onRetry={() => void log.refetch()} />
        <div className="row log-choice">
          <Choices label="Level" options={LEVELS} value={level} onChange={setLevel} />
          <TextField label="Search the log" value={typed} onChange={setTyped} />
          {open ? <CheckField label="Follow" checked={following} onChange={setFollowing} /> : null}
        </div>
        {log.isPending ? <Waiting>Loading the log…</Waiting> : null}
        {log.data?.lines.length === 0 ? <NoLines choice={choice} open={open} /> : null}
        {log.data !== undefined && log.data.lines.length > 0 ? (
          <Lines lines={log.data.lines} following={following} />
        ) : null}
      </div>
    </Panel>
  );
}

/** The runner's log of a run, and the run's journal. */
export function LogPage() {
  const slug = useSlug();
  const { run: id = "" } = useParams();
  const run = useRun(id);
  const open = run.data !== undefined && isOpen(run.data);
  const { refetch } = run;
  useEffect(() => {
    if (!open) return undefined;
    const timer = setInterval(() => void refetch(), 5_000);
    return () => clearInterval(timer);
  }, [open, refetch]);
  if (run.isPending) return <Waiting>Loading the run…</Waiting>;
  if (run.isError) return <ErrorNote error={run.error} onRetry={() => void run.refetch()} />;
  return (
    <>
      <PageHead
        title={run.data.binding_name}
        crumb={{ to: `/t/${slug}/runs`, label: "Runs" }}
        beside={<StateMark observed={run.data.observed} since={run.data.changed_at} />}
      />
      <RunTabs run={run.data.id} />
      <LogPanel key={run.data.id} run={run.data} />
    </>
  );
}
