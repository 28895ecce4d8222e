/** The server's simulation. Positions (`after`) count the arrived rows. */

import type { components } from "../../generated/api";

type Schemas = components["schemas"];

export type SimulatedRow = Schemas["SimulatedRow"];
export type CtiStep = Schemas["CtiStep"];
export type Staircase = Schemas["Staircase"];
export type TrackRow = Schemas["TrackRow"];
export type Track = Schemas["Track"];
export type PaneState = Schemas["PaneState"];
export type AttemptRow = Schemas["AttemptRow"];
export type AttemptState = Schemas["AttemptState"];
export type SimulatedAttempt = Schemas["SimulatedAttempt"];
export type SimulatedPane = Schemas["SimulatedPane"];
/** The simulation without the answer about a single place. */
export type Simulation = Omit<Schemas["SimulationResponse"], "answer">;
export type SampleItem = Schemas["SampleBody"]["rows"][number];
