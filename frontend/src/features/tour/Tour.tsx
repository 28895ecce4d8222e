import { type RefObject, useEffect, useId, useRef, useState } from "react";
import { useLocation } from "react-router";
import { ErrorNote, Waiting } from "../../components/notices/Notices";
import { useSlug } from "../../lib/account/session";
import { type TourControl, tourWasAsked, useTour } from "../../lib/tour";
import {
  isThere,
  queryOfPath,
  sceneOf,
  stepBeside,
  TOUR,
  type TourContents,
  type TourStep,
} from "../../model/organisation/tour";
import { useTourContents } from "./requests";
import { StepCard } from "./StepCard";
import { useSign } from "./sign";
import "./tour.css";

/** Return the path within the organisation, for example `queries/new`. */
function useInnerPath(): string {
  const slug = useSlug();
  return useLocation().pathname.slice(`/t/${slug}/`.length).replace(/\/$/, "");
}

/** Advance when the step's task is completed; returns the title of the last completed task. */
function useAdvancing(step: TourStep, done: boolean, onDone: () => void): string | null {
  const before = useRef({ step: step.name, done });
  const [just, setJust] = useState({ title: "", step: "" });
  useEffect(() => {
    const was = before.current;
    before.current = { step: step.name, done };
    if (was.step !== step.name || was.done || !done || step.stays) return;
    setJust({ title: step.title, step: stepBeside(step.name, 1) });
    onDone();
  }, [step, done, onDone]);
  return just.step === step.name ? just.title : null;
}

/** Remember the query that the user created or opened for the tour. */
function useOwnQuery(tour: TourControl, contents: TourContents, shown: string | null): void {
  const query = queryOfPath(useInnerPath());
  const { state, change } = tour;
  const known = contents.queries.some(({ id }) => id === query);
  const own = state.step === "own" && known && query !== shown ? query : null;
  useEffect(() => {
    if (own !== null) change({ own, shown });
  }, [own, shown, change]);
}

function Walking({ tour, contents }: { tour: TourControl; contents: TourContents }) {
  const { state, change, leave } = tour;
  const scene = sceneOf(contents, state);
  const step = TOUR.find(({ name }) => name === state.step) ?? (TOUR[0] as TourStep);
  const path = useInnerPath();
  const place = step.place(scene);
  const there = place.missing === undefined && isThere(path, place);
  const sign = useSign(there ? step.sign : undefined);
  const done = sign || (step.done?.(scene) ?? false);
  useOwnQuery(tour, contents, scene.shown?.id ?? null);
  const go = (by: number) => change({ step: stepBeside(step.name, by) });
  const just = useAdvancing(step, done, () => go(1));
  const finish = () => {
    leave();
    change({ step: stepBeside(step.name, -TOUR.length), own: null, offered: false });
  };
  const task = typeof step.task === "function" ? step.task(scene) : step.task;
  return <StepCard {...{ step, task, place, there, done, just, go, finish }} path={path} />;
}

/** Publish the height of the element at the bottom of the window as a CSS variable. */
function useTourHeight(element: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { style } = document.documentElement;
    const publish = () => style.setProperty("--tour-height", `${element.current?.offsetHeight ?? 0}px`);
    const observer = new ResizeObserver(publish);
    if (element.current !== null) observer.observe(element.current);
    return () => {
      observer.disconnect();
      style.removeProperty("--tour-height");
    };
  }, [element]);
}

/** The strip below the page; the page stays usable. */
function Strip({ tour }: { tour: TourControl }) {
  const heading = useRef<HTMLHeadingElement | null>(null);
  const strip = useRef<HTMLElement | null>(null);
  const id = useId();
  const [small, setSmall] = useState(false);
  const { contents, error } = useTourContents();
  useTourHeight(strip);
  useEffect(() => {
    if (tourWasAsked()) heading.current?.focus();
  });
  return (
    <aside
      className="tour"
      aria-labelledby={id}
      ref={strip}
      data-folded={small || undefined}
      onKeyDown={(event) => {
        if (event.key === "Escape") tour.leave();
      }}
    >
      <header>
        <h2 id={id} ref={heading} tabIndex={-1}>
          Guided tour
        </h2>
        <button
          type="button"
          className="button"
          data-kind="plain"
          aria-expanded={!small}
          onClick={() => setSmall(!small)}
        >
          {small ? "Expand" : "Collapse"}
        </button>
        <button type="button" className="button" data-kind="plain" onClick={tour.leave}>
          Leave
        </button>
      </header>
      <div className="tour-step" hidden={small}>
        <ErrorNote error={error} />
        {contents === null ? (
          error === null ? (
            <Waiting>Loading your organisation…</Waiting>
          ) : null
        ) : (
          <Walking tour={tour} contents={contents} />
        )}
      </div>
    </aside>
  );
}

/** The guided tour, while it is open; the “?” menu resumes it. */
export function Tour() {
  const tour = useTour(useSlug());
  return tour.state.open ? <Strip tour={tour} /> : null;
}
