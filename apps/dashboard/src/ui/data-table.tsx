import { Group, Skeleton, Table } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import classes from './data-table.module.css';
import { ErrorNote } from './error-note.js';
import { PagerButtons } from './pager-buttons.js';
import type { PageTokens } from './use-page-tokens.js';

export interface Column<Row> {
  /** Also the name of the cell on phones, where rows are cards. '' for a column of buttons, with `hiddenHeader`. */
  header: string;
  /** Name for screen readers when `header` is ''. */
  hiddenHeader?: string;
  cell: (row: Row) => ReactNode;
  /** `end` for numbers and buttons. */
  align?: 'start' | 'end';
  /** CSS width on wide screens. */
  width?: string;
  /** The cell names its row for screen readers. */
  isRowHeader?: boolean;
  /** Hidden on phones. */
  isMinor?: boolean;
}

export interface DataTableProps<Row> {
  /** Description of the rows for screen readers. */
  label: string;
  columns: Column<Row>[];
  /** undefined shows placeholders. */
  rows: Row[] | undefined;
  rowKey: (row: Row) => string;
  /** Replaces a table without rows, usually an `EmptyState`. */
  empty: ReactNode;
  error?: Error | null;
  onRetry?: () => void;
  /** From {@link usePageTokens}, with the `nextPageToken` of the shown page. */
  paging?: PageTokens & { nextPageToken: string | null | undefined };
  /** Number of placeholders. */
  expectedRows?: number;
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey, empty, error, onRetry, paging, expectedRows = 5 } = props;
  if (error && rows === undefined) return <ErrorNote error={error} onRetry={onRetry} />;
  if (rows?.length === 0 && !paging?.hasPrevious) return <Fragment>{empty}</Fragment>;
  return (
    <div>
      {error && <ErrorNote error={error} onRetry={onRetry} />}
      <Table
        aria-label={label}
        aria-busy={rows === undefined}
        role="table"
        className={classes.table}
        highlightOnHover
        verticalSpacing="sm"
        tabularNums
      >
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map(({ header, hiddenHeader, align, width }) => (
              <Table.Th key={header} role="columnheader" scope="col" ta={align} w={width} className={classes.header}>
                {header === '' ? <span className={classes.hidden}>{hiddenHeader}</span> : header}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {rows === undefined
            ? Array.from({ length: expectedRows }, (_, index) => <WaitingRow key={index} columns={columns} />)
            : rows.map((row) => (
                <Table.Tr key={rowKey(row)} role="row" className={classes.row}>
                  {columns.map((column) => (
                    <Table.Td
                      key={column.header}
                      role={column.isRowHeader ? 'rowheader' : 'cell'}
                      ta={column.align}
                      data-label={column.header}
                      data-minor={column.isMinor || undefined}
                      className={classes.cell}
                    >
                      <div className={classes.value}>{column.cell(row)}</div>
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
        </Table.Tbody>
      </Table>
      {paging && (
        <Group justify="flex-end" mt="sm" className={classes.pager}>
          <PagerButtons {...paging} />
        </Group>
      )}
    </div>
  );
}

function WaitingRow<Row>({ columns }: { columns: Column<Row>[] }) {
  return (
    <Table.Tr role="row" className={classes.row} aria-hidden>
      {columns.map(({ header, isMinor }) => (
        <Table.Td
          key={header}
          role="cell"
          data-label={header}
          data-minor={isMinor || undefined}
          className={classes.cell}
        >
          <div className={classes.value}>
            <Skeleton height={12} my={5} width="70%" />
          </div>
        </Table.Td>
      ))}
    </Table.Tr>
  );
}
