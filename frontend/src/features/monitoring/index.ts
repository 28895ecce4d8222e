/** The live page of a run; that of its log is loaded by itself (`LogPage`). */

export { RunPage } from "./RunPage";
