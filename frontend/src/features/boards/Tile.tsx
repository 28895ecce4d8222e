import type { ReactNode } from "react";
import { ErrorNote, Notice, Waiting } from "../../components/notices/Notices";
import { PointsTable } from "../../components/resultChart/PointsTable";
import { ResultChart } from "../../components/resultChart/ResultChart";
import { chartNotes, chartTitle, rowsWords } from "../../messages/results/chartWords";
import type { ChartResponse, TileFigures } from "../../model/api";
import { type BoardTile, definitionOf } from "../../model/boards/tiles";
import type { ChartDefinition } from "../../model/results/chart";
import { formatClock, ticksOf } from "../../model/time/ticks";
import { LatenessFigures } from "./LatenessFigures";
import { useFigures } from "./requests";
import "./tiles.css";

function Drawn({ definition, chart }: { definition: ChartDefinition; chart: ChartResponse }) {
  if (chart.rows === 0)
    return (
      <p className="quiet">{chart.rows_stored === 0 ? "No results yet" : "No results for this filter and range"}</p>
    );
  if (definition.kind === "table")
    return <PointsTable definition={definition} chart={chart} title={chartTitle(definition)} />;
  return <ResultChart definition={definition} chart={chart} />;
}

function Figures({ tile, figures }: { tile: BoardTile; figures: TileFigures }) {
  const { chart, lateness, problem, without } = figures;
  if (problem !== null)
    return (
      <Notice tone="unknown">
        <p>{problem}</p>
      </Notice>
    );
  if (tile.kind === "chart" && chart !== null) {
    const notes = [rowsWords(chart), ...chartNotes(chart), ...without.map((field) => `not filtered by ${field}`)];
    return (
      <>
        <Drawn definition={definitionOf(tile)} chart={chart} />
        <p className="quiet tile-note">{notes.join(" · ")}</p>
      </>
    );
  }
  if (tile.kind === "chart" || tile.kind === "text" || lateness === null) return null;
  return <LatenessFigures kind={tile.kind} shown={lateness} />;
}

interface TileProps {
  tile: BoardTile;
  /** The place of the tile on the board, from 0. */
  at: number;
  /** The query that the tile is about, or a link to it. */
  source?: ReactNode;
  controls?: ReactNode;
  /** True: the figures are older than the page allows, and must not look live. */
  isOld?: (readAt: number) => boolean;
}

/** A tile with its title and figures. Figures that could not be read again say from when they are. */
export function Tile({ tile, at, source, controls, isOld = () => false }: TileProps) {
  const { data, error, dataUpdatedAt } = useFigures(tile, at);
  const old = data !== undefined && (error !== null || isOld(dataUpdatedAt));
  return (
    <>
      <header>
        <h2>{tile.title}</h2>
        {source}
      </header>
      {controls}
      <div className="tile-body" data-old={old || undefined}>
        {tile.kind === "text" ? <p className="tile-text">{tile.text}</p> : null}
        {old ? (
          <Notice tone="unknown">
            <p>Last known figures, from {formatClock(ticksOf(new Date(dataUpdatedAt)))}. They can't be read now.</p>
          </Notice>
        ) : null}
        {data !== undefined ? <Figures tile={tile} figures={data} /> : null}
        {data === undefined && error !== null ? <ErrorNote error={error} /> : null}
        {data === undefined && error === null && tile.kind !== "text" ? <Waiting>Reading the figures…</Waiting> : null}
      </div>
    </>
  );
}
