import { useState } from "react";
import { Empty, ErrorNote, Notice, Waiting } from "../../../components/notices/Notices";
import { PageHead } from "../../../components/page/PageHead";
import { Panel } from "../../../components/page/Panel";
import { Scroll } from "../../../components/page/Scroll";
import { useNow } from "../../../lib/now";
import {
  fullness,
  secondsToMidnight,
  secondsWords,
  shareUsed,
  usageWords,
} from "../../../messages/organisation/quotas";
import type { UsageResponse } from "../../../model/api";
import { useKept, useRunningBindings, useUsages } from "../requests";
import { StoredRows } from "./StoredRows";

const MINUTE_MS = 60_000;

/** The time until the daily preview limit resets. */
function ResetTime() {
  const now = useNow(MINUTE_MS);
  return <>Resets at 00:00 UTC, in {secondsWords(Math.ceil(secondsToMidnight(now) / 60) * 60)}.</>;
}

function Meter({ usage }: { usage: UsageResponse }) {
  const share = shareUsed(usage);
  const { tone, word } = fullness(usage);
  const words = usageWords(usage);
  return (
    <li className="limit">
      <div className="line">
        <span className="grow">{usage.title}</span>
        {word === "" ? null : (
          <span className="mark" data-tone={tone}>
            {word}
          </span>
        )}
        <strong className="figures">{words}</strong>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a meter of the browser takes none of our colours */}
      <div
        className="meter"
        role="meter"
        aria-label={usage.title}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(100 * share)}
        aria-valuetext={words}
      >
        <div data-tone={tone} style={{ width: `${100 * share}%` }} />
      </div>
      {/^(person_)?(preview|replay|repair)_seconds$/.test(usage.quota) ? (
        <p className="quiet small">
          <ResetTime />
        </p>
      ) : null}
    </li>
  );
}

function StoredRowsPanel() {
  const kept = useKept();
  const running = useRunningBindings().data;
  const [message, setMessage] = useState("");
  return (
    <Panel title="Stored by bindings" note="Measured at each start and every few seconds during a run" flush>
      {message === "" ? null : (
        <Notice tone="good">
          <p>{message}</p>
        </Notice>
      )}
      {kept.isPending ? <Waiting>Loading stored rows…</Waiting> : null}
      <ErrorNote error={kept.error} onRetry={() => void kept.refetch()} />
      {kept.data?.length === 0 ? (
        <Empty title="Nothing stored yet">
          <p>Results and quarantined rows are listed here after the first run of a binding.</p>
        </Empty>
      ) : null}
      {kept.data !== undefined && kept.data.length > 0 ? (
        <Scroll label="Table of stored rows">
          <table>
            <thead>
              <tr>
                <th>Binding</th>
                <th className="num">Results</th>
                <th className="num">Quarantine</th>
              </tr>
            </thead>
            <tbody>
              {kept.data.map((each) => (
                <StoredRows
                  key={each.binding}
                  kept={each}
                  running={running?.has(each.binding) ?? false}
                  onDeleted={setMessage}
                />
              ))}
            </tbody>
          </table>
        </Scroll>
      ) : null}
    </Panel>
  );
}

/** The organisation's limits, its usage, and ways to free space. */
export function LimitsPage() {
  const usages = useUsages();
  return (
    <>
      <PageHead title="Limits" />
      <p className="quiet">Your administrator sets the limits. Contact them if you need more.</p>
      {usages.isPending ? <Waiting>Loading the limits…</Waiting> : null}
      <ErrorNote error={usages.error} onRetry={() => void usages.refetch()} />
      {usages.data === undefined ? null : (
        <Panel title="Current usage">
          <ul className="limits">
            {usages.data.map((usage) => (
              <Meter key={usage.quota} usage={usage} />
            ))}
          </ul>
        </Panel>
      )}
      <StoredRowsPanel />
    </>
  );
}
