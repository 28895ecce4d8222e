/** The live page of a run. */
export { RunPage } from "./RunPage";
