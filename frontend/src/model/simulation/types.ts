/** What a simulation shows, as the server gives it. Positions (`after`) count the rows that have arrived. */

import type { components } from "../../generated/api";

type Schemas = components["schemas"];

export type SimulatedRow = Schemas["SimulatedRow"];
export type CtiStep = Schemas["CtiStep"];
export type Staircase = Schemas["Staircase"];
export type TrackRow = Schemas["TrackRow"];
export type Track = Schemas["Track"];
export type PaneState = Schemas["PaneState"];
export type SimulatedPane = Schemas["SimulatedPane"];
/** All of it; what was asked of a place is not part of it. */
export type Simulation = Omit<Schemas["SimulationShown"], "answer">;
export type SampleItem = Schemas["SampleBody"]["rows"][number];
