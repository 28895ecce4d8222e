import { ErrorNote, Waiting } from "../../components/notices/Notices";
import { Panel } from "../../components/page/Panel";
import { Scroll } from "../../components/page/Scroll";
import { levelWords } from "../../model/alerts/alerts";
import type { AlertRuleResponse } from "../../model/api";
import { useRules } from "./requests";

/** The settings that differ from the built-in ones, in words. */
function differences({ settings, unit }: AlertRuleResponse): string {
  return settings
    .map(({ binding, thresholds, enabled, reason }) => {
      const of = binding?.name ?? "all bindings";
      if (!enabled) return `off for ${of}: ${reason}`;
      return `${of}: warns at ${levelWords(thresholds.warn, unit)}, pages at ${levelWords(thresholds.page, unit)}`;
    })
    .join("; ");
}

export function RulesPanel() {
  const rules = useRules();
  return (
    <Panel title="Rules" note="Built in and on for every binding. Change limits through the API." flush>
      <ErrorNote error={rules.error} onRetry={() => void rules.refetch()} />
      {rules.isPending ? <Waiting>Loading the rules…</Waiting> : null}
      {rules.data === undefined ? null : (
        <Scroll label="Table of rules">
          <table>
            <thead>
              <tr>
                <th>Rule</th>
                <th>Warns at</th>
                <th>Pages at</th>
                <th>Changed</th>
              </tr>
            </thead>
            <tbody>
              {rules.data.map((rule) => (
                <tr key={rule.rule}>
                  <th scope="row">{rule.title}</th>
                  <td className="nowrap">{levelWords(rule.thresholds.warn, rule.unit)}</td>
                  <td className="nowrap">{levelWords(rule.thresholds.page, rule.unit)}</td>
                  <td className="message">{differences(rule)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </Panel>
  );
}
