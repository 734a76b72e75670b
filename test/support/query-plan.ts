/** What `explain (analyze, format json)` tells of a step. */
export interface PlanNode {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** The row with a whole plan. */
export interface ExplainedRow {
  'QUERY PLAN': [{ Plan: PlanNode; 'Execution Time': number }];
}

/** A step and all below it. */
export function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}
