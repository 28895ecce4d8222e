import { PAGES } from "virtual:guide";
import { useEffect, useId, useRef, useState } from "react";
import { Panel } from "../../../components/page/Panel";
import type { GraphNode } from "../../../model/api";
import { useDesigner } from "../page/designer";
import { useDockTab } from "../page/dockTab";
import "./help.css";

/** Return the guide page that explains the node. */
function pageOf(node: GraphNode | undefined): string | null {
  if (node === undefined) return null;
  return node.kind === "window" ? `window_${node.window.kind}` : node.kind;
}

function Written({ html }: { html: string }) {
  const place = useRef<HTMLElement | null>(null);
  useEffect(() => {
    const written = new DOMParser().parseFromString(html, "text/html");
    for (const link of written.querySelectorAll("a")) {
      link.target = "_blank";
      link.rel = "noopener";
    }
    place.current?.replaceChildren(...written.body.childNodes);
  }, [html]);
  return <article className="guide-text help-text" ref={place} />;
}

/** The guide next to the query: the page of the selected node, or any other. */
export function HelpPanel() {
  const { graph, selected, wordPage } = useDesigner();
  const id = useId();
  const open = useDockTab() === "help";
  const [chosen, setChosen] = useState<string | null>(null);
  const node = pageOf(graph?.nodes.find((each) => each.id === selected.at(-1)));
  // biome-ignore lint/correctness/useExhaustiveDependencies: selecting a node replaces the chosen page
  useEffect(() => setChosen(null), [node]);
  useEffect(() => {
    if (wordPage !== null) setChosen(wordPage);
  }, [wordPage]);
  const name = chosen ?? node ?? "advance_time";
  const page = PAGES.find((each) => each.name === name);
  return (
    <Panel title="Help" note="Explains the selected node or the SQL word at the caret">
      {open ? (
        <div className="stack">
          <div className="row">
            <label htmlFor={id}>Guide page</label>
            <select id={id} className="input" value={name} onChange={(event) => setChosen(event.target.value)}>
              {PAGES.filter((each) => each.name !== "").map((each) => (
                <option key={each.name} value={each.name}>
                  {each.title}
                </option>
              ))}
            </select>
            <a href={`/guide/${name}`} target="_blank" rel="noopener">
              In the guide
            </a>
          </div>
          {page === undefined ? <p>The guide has no page with this name.</p> : <Written html={page.html} />}
        </div>
      ) : null}
    </Panel>
  );
}
