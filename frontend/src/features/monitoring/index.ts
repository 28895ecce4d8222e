/** The live page of a run; the log page (`LogPage`) loads separately. */

export { RunPage } from "./page/RunPage";
