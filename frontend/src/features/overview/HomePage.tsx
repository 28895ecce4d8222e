import { useEffect } from "react";
import { Link, useSearchParams } from "react-router";
import { ReasonedLink } from "../../components/actions/Reasoned";
import { ErrorNote, Waiting } from "../../components/notices/Notices";
import { useReason, useSlug } from "../../lib/account/session";
import type { HomeResponse } from "../../model/api";
import { formatClock } from "../../model/time/ticks";
import { Filters } from "./Filters";
import { Steps, TourOffer } from "./FirstSteps";
import { Tiles } from "./HomeTiles";
import { Incidents } from "./Incidents";
import { useRowKeys } from "./keys";
import { QueryGroups } from "./QueryGroups";
import { type HomeFilters, useHome } from "./requests";
import "./home.css";

/** The filters in the address, and a function that changes some of them; a changed filter leads to the first page. */
function useFilters(): [HomeFilters, (changed: Partial<HomeFilters>) => void] {
  const [params, setParams] = useSearchParams();
  const filters: HomeFilters = {
    name: params.get("name") ?? "",
    tag: params.get("tag") ?? "",
    owner: params.get("owner") ?? "",
    order: params.get("order") === "name" ? "name" : "worst",
    skip: Math.max(0, Number(params.get("skip") ?? 0) || 0),
  };
  const change = (changed: Partial<HomeFilters>) => {
    const next = Object.entries({ ...filters, skip: 0, ...changed });
    const kept = next.filter(([, value]) => value !== "" && value !== "worst" && value !== 0);
    setParams(new URLSearchParams(kept.map(([key, value]) => [key, String(value)])), { replace: true });
  };
  return [filters, change];
}

interface HeadProps {
  home: HomeResponse | undefined;
  stale: boolean;
}

/** The time of the figures; amber if the server has not answered since. */
function AsOf({ home, stale }: HeadProps) {
  if (home === undefined) return null;
  return (
    <span className="as-of figures" data-stale={stale || undefined}>
      {stale ? "last known " : ""}
      {formatClock(home.now).replace("Z", " UTC")}
    </span>
  );
}

function Head({ home, stale }: HeadProps) {
  const slug = useSlug();
  const edit = useReason("edit");
  useEffect(() => {
    document.title = "Live · Punctual";
  }, []);
  return (
    <header className="page-head">
      <div className="row">
        <h1>Live</h1>
        <AsOf home={home} stale={stale} />
      </div>
      <div className="row">
        <Link className="button" to={`/t/${slug}/runs`}>
          All runs
        </Link>
        <ReasonedLink reason={edit} kind="primary" to={`/t/${slug}/queries/new`}>
          New query
        </ReasonedLink>
      </div>
    </header>
  );
}

/** The page that an operator leaves open: every live query, worst first. */
export function HomePage() {
  const [filters, change] = useFilters();
  const { data: home, error, refetch } = useHome(filters);
  useRowKeys();
  return (
    <div className="home">
      <Head home={home} stale={error !== null} />
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {home === undefined && error === null ? <Waiting>Loading the live queries…</Waiting> : null}
      {home === undefined ? null : home.total === 0 ? (
        <>
          <TourOffer />
          <Steps />
        </>
      ) : (
        <>
          <Filters home={home} filters={filters} onChange={change} />
          <Tiles home={home} />
          <Incidents home={home} />
          <QueryGroups home={home} skip={filters.skip} onSkip={(skip) => change({ skip })} />
          <TourOffer />
        </>
      )}
    </div>
  );
}
