/** The live page of a run. */

export { LogPage } from "./LogPage";
export { RunPage } from "./RunPage";
