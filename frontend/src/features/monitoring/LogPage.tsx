import { useEffect, useRef, useState } from "react";
import { useParams } from "react-router";
import { Choices } from "../../components/Choices";
import { CheckField, TextField } from "../../components/Field";
import { Instant } from "../../components/Instant";
import { Empty, ErrorNote, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { Panel } from "../../components/Panel";
import { StateMark } from "../../components/StateMark";
import { counted } from "../../lib/numbers";
import { useSlug } from "../../lib/session";
import type { RunShown } from "../../model/api";
import { type Level, type Log, type LogLine, linesShown } from "../../model/logLines";
import { isOpen } from "../../model/states";
import { ticksOf } from "../../model/ticks";
import { useLog } from "./logs";
import { RunTabs } from "./RunTabs";
import { useRun } from "./requests";

const LEVELS: readonly (readonly [Level, string])[] = [
  ["all", "All"],
  ["warning", "Warnings and errors"],
  ["error", "Errors"],
];

function Lines({ lines, following }: { lines: readonly LogLine[]; following: boolean }) {
  const place = useRef<HTMLOListElement | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new line is gone to
  useEffect(() => {
    if (following && place.current !== null) place.current.scrollTop = place.current.scrollHeight;
  }, [lines.length, following]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <ol ref={place} className="log" tabIndex={0} aria-label="Lines of the log">
      {lines.map((line, number) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no name of their own, and may be equal
        <li key={number} data-level={line.level}>
          <Instant ticks={ticksOf(line.at)} />
          <span className="level">{line.level}</span>
          <span className="message">{line.message}</span>
        </li>
      ))}
    </ol>
  );
}

function NoLines({ log, open }: { log: Log; open: boolean }) {
  if (log.lines.length > 0) {
    return (
      <Empty title="No line fits.">
        <p>Choose all levels, or look for another word.</p>
      </Empty>
    );
  }
  return (
    <Empty title={open ? "Nothing is logged yet." : "Nothing was logged."}>
      <p>
        {open
          ? "The first line comes when a runner takes the run. It is shown here by itself."
          : "The run ended before a runner wrote of it, or its log was put away since. Its state above says how it ended."}
      </p>
    </Empty>
  );
}

function noteOf(log: Log, shown: number): string {
  const held = `${counted(log.lines.length, "line")}, oldest first, times in UTC`;
  const found = shown === log.lines.length ? "" : `; ${counted(shown, "line")} shown`;
  const dropped =
    log.dropped === 0 ? "" : `. ${counted(log.dropped, "older line")} left out: \`punctual run logs\` has all`;
  return `${held}${found}${dropped}.`;
}

function LogPanel({ run }: { run: RunShown }) {
  const open = isOpen(run);
  const [following, setFollowing] = useState(true);
  const [level, setLevel] = useState<Level>("all");
  const [typed, setTyped] = useState("");
  const log = useLog(run.id, following && open);
  if (log.isPending) return <Waiting>Loading the log…</Waiting>;
  if (log.data === undefined) return <ErrorNote error={log.error} onRetry={() => void log.refetch()} />;
  const shown = linesShown(log.data.lines, level, typed);
  return (
    <Panel title="Log" note={noteOf(log.data, shown.length)}>
      <div className="stack">
        <ErrorNote error={log.error} onRetry={() => void log.refetch()} />
        <div className="row log-choice">
          <Choices label="Level" options={LEVELS} value={level} onChange={setLevel} />
          <TextField label="Find in the log" value={typed} onChange={setTyped} />
          {open ? <CheckField label="Follow" checked={following} onChange={setFollowing} /> : null}
        </div>
        {shown.length === 0 ? <NoLines log={log.data} open={open} /> : <Lines lines={shown} following={following} />}
      </div>
    </Panel>
  );
}

/** What the runner wrote of a run, and its changes of state. */
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
