import { PAGES } from "virtual:guide";
import { type MouseEvent, useEffect, useRef, useState } from "react";
import { NavLink, useNavigate, useParams } from "react-router";
import { TextField } from "../../components/forms/Field";
import { Empty } from "../../components/notices/Notices";
import { PageHead } from "../../components/page/PageHead";
import { findPages } from "../../model/text/search";

type Written = (typeof PAGES)[number];

const MORE = ["advance_time", "aggregates", "functions"];
const TITLES: Record<string, string> = { "": "Guide" };

function groups(): readonly (readonly [string, readonly Written[]])[] {
  const isWindow = (page: Written) => page.name.startsWith("window_");
  const rest = PAGES.filter((page) => page.name !== "" && !MORE.includes(page.name));
  return [
    ["Nodes", rest.filter((page) => !isWindow(page))],
    ["Windows", rest.filter(isWindow)],
    ["Time and values", PAGES.filter((page) => MORE.includes(page.name))],
  ];
}

function Contents() {
  return (
    <nav className="guide-contents" aria-label="Pages of the guide">
      <NavLink to="/guide" end>
        All pages
      </NavLink>
      {groups().map(([title, pages]) => (
        <section key={title}>
          <h2>{title}</h2>
          <ul>
            {pages.map((page) => (
              <li key={page.name}>
                <NavLink to={`/guide/${page.name}`}>{page.title}</NavLink>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

function Found({ typed }: { typed: string }) {
  const found = findPages(
    PAGES.filter((page) => page.name !== ""),
    typed,
  );
  if (found.length === 0) {
    return (
      <Empty title={`No page contains “${typed}”`}>
        <p>Try a single word, or browse the pages.</p>
      </Empty>
    );
  }
  return (
    <ul className="guide-found">
      {found.map(({ page, excerpt }) => (
        <li key={page.name}>
          <NavLink to={`/guide/${page.name}`}>{page.title}</NavLink>
          <p className="quiet small">{excerpt}</p>
        </li>
      ))}
    </ul>
  );
}

/** Keep links between pages of the guide within the application. */
function useInnerLinks() {
  const navigate = useNavigate();
  return (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
    if (link === null || !plain || link.origin !== window.location.origin) return;
    event.preventDefault();
    void navigate(link.pathname);
  };
}

function Text({ page }: { page: Written }) {
  const follow = useInnerLinks();
  const place = useRef<HTMLElement | null>(null);
  useEffect(() => {
    const written = new DOMParser().parseFromString(page.html, "text/html");
    place.current?.replaceChildren(...written.body.childNodes);
  }, [page]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser turns Enter on a link into a click
    <article className="guide-text" ref={place} onClick={follow} />
  );
}

/** The guide: an index with a search, and a page for each operator with pictures and SQL. */
export function GuidePage() {
  const { page: name = "" } = useParams();
  const [typed, setTyped] = useState("");
  const page = PAGES.find((each) => each.name === name);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page starts at its top, without the search
  useEffect(() => {
    setTyped("");
    window.scrollTo(0, 0);
  }, [name]);
  const title = page === undefined ? "Page not found" : (TITLES[name] ?? page.title);
  return (
    <div className="guide">
      <aside>
        <TextField label="Search the guide" value={typed} onChange={setTyped} />
        <Contents />
      </aside>
      <div className="stack start">
        <PageHead title={title} {...(name === "" ? {} : { crumb: { to: "/guide", label: "Guide" } })} />
        {typed.trim() !== "" ? (
          <Found typed={typed} />
        ) : page === undefined ? (
          <Empty title={`The guide has no page “${name}”`}>
            <p>Choose a page, or search.</p>
          </Empty>
        ) : (
          <Text page={page} />
        )}
      </div>
    </div>
  );
}
