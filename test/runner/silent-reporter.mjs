// For runs of Jest of which only the result file matters.
export default class SilentReporter {}
