import { useState } from "react";
import { Empty, ErrorNote, Notice, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { Panel } from "../../components/Panel";
import { Scroll } from "../../components/Scroll";
import { useNow } from "../../lib/now";
import type { UsageShown } from "../../model/api";
import { fullness, secondsToMidnight, secondsWords, shareUsed, usageWords } from "../../model/quotas";
import { KeptRows } from "./KeptRows";
import { useKept, useRunningBindings, useUsages } from "./requests";

const MINUTE_MS = 60_000;

/** When the day of previews ends. */
function Anew() {
  const now = useNow(MINUTE_MS);
  return <>Begins anew at 00:00 UTC, in {secondsWords(Math.ceil(secondsToMidnight(now) / 60) * 60)}.</>;
}

function Meter({ usage }: { usage: UsageShown }) {
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
      {usage.quota === "preview_seconds" ? (
        <p className="quiet small">
          <Anew />
        </p>
      ) : null}
    </li>
  );
}

function Kept() {
  const kept = useKept();
  const running = useRunningBindings().data;
  const [told, setTold] = useState("");
  return (
    <Panel title="Kept by bindings" note="As last measured: every few seconds while it runs, and at each start." flush>
      {told === "" ? null : (
        <Notice tone="good">
          <p>{told}</p>
        </Notice>
      )}
      {kept.isPending ? <Waiting>Loading what is kept…</Waiting> : null}
      <ErrorNote error={kept.error} onRetry={() => void kept.refetch()} />
      {kept.data?.length === 0 ? (
        <Empty title="Nothing is kept yet.">
          <p>Results and quarantine stand here once a binding has run.</p>
        </Empty>
      ) : null}
      {kept.data !== undefined && kept.data.length > 0 ? (
        <Scroll label="Table of what is kept">
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
                <KeptRows
                  key={each.binding}
                  kept={each}
                  running={running?.has(each.binding) ?? false}
                  onDeleted={setTold}
                />
              ))}
            </tbody>
          </table>
        </Scroll>
      ) : null}
    </Panel>
  );
}

/** What the organisation may use, what it uses of it, and how to make room. */
export function LimitsPage() {
  const usages = useUsages();
  return (
    <>
      <PageHead title="Limits" />
      <p className="quiet">Limits are set by whoever runs this installation; ask them for more.</p>
      {usages.isPending ? <Waiting>Loading the limits…</Waiting> : null}
      <ErrorNote error={usages.error} onRetry={() => void usages.refetch()} />
      {usages.data === undefined ? null : (
        <Panel title="Used now">
          <ul className="limits">
            {usages.data.map((usage) => (
              <Meter key={usage.quota} usage={usage} />
            ))}
          </ul>
        </Panel>
      )}
      <Kept />
    </>
  );
}
