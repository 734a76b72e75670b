import { Button, Group, Table, Text, Title } from '@mantine/core';
import { useId, useState, type PointerEvent } from 'react';
import { bucketAt, maxStack, maxValue, linePath, PLOT_HEIGHT, PLOT_WIDTH, scaleEnd, stackedBars } from './plot.js';
import { bucketName } from './bucket-name.js';
import classes from './time-chart.module.css';

/** Series differ in lightness and texture, not in colour alone. */
export type SeriesTone = 'good' | 'warning' | 'bad' | 'usual' | 'slow';

export interface TimeSeries {
  name: string;
  tone: SeriesTone;
  /** One per bucket; null without a measurement. */
  values: readonly (number | null)[];
}

export interface TimeChartProps {
  title: string;
  /** Heading level. */
  level?: 2 | 3;
  /** `bars` are stacked. */
  kind: 'bars' | 'lines';
  /** Start of each bucket, ISO 8601; empty while unknown. */
  starts: readonly string[];
  bucketSeconds: number;
  series: readonly TimeSeries[];
  format: (value: number) => string;
  /** Text of the legend for the whole range. */
  summary: (series: TimeSeries) => string;
  /** Text of an empty plot. */
  empty: string;
}

/** Shows values over time as a chart or a table of equal size. The legend shows the bucket under the pointer. */
export function TimeChart(props: TimeChartProps) {
  const { title, level = 2, starts, bucketSeconds, series, format, summary } = props;
  const [asTable, setAsTable] = useState(false);
  const [pointed, setPointed] = useState<number | null>(null);
  const titleId = useId();
  const name = (at: number) => (starts[at] === undefined ? '' : bucketName(starts[at], bucketSeconds));
  // The range may have shrunk since the pointer moved.
  const bucket = pointed !== null && pointed < starts.length ? pointed : null;

  return (
    <figure className={classes.figure} aria-labelledby={titleId}>
      <Group justify="space-between" gap="xs">
        <Title order={level} size="h5" id={titleId}>
          {title}
        </Title>
        <Group gap="xs">
          <Button
            size="compact-xs"
            variant="default"
            aria-pressed={asTable}
            onClick={() => {
              setAsTable(!asTable);
              setPointed(null);
            }}
          >
            Table
          </Button>
        </Group>
      </Group>
      <div className={classes.legend}>
        <dl>
          {series.map((one) => (
            <div key={one.name}>
              <dt>
                <Swatch tone={one.tone} kind={props.kind} /> {one.name}
              </dt>
              <dd>{bucket === null ? starts.length > 0 && summary(one) : shown(one.values[bucket], format)}</dd>
            </div>
          ))}
        </dl>
        <Text component="span" size="xs" c="dimmed" className={classes.bucket} aria-hidden>
          {bucket !== null && name(bucket)}
        </Text>
      </div>
      {asTable ? (
        // Scrolling by keyboard requires focus.
        <div className={classes.table} tabIndex={0} role="region" aria-labelledby={titleId}>
          <Table stickyHeader withRowBorders={false} verticalSpacing={2}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">From</Table.Th>
                {series.map((one) => (
                  <Table.Th key={one.name} scope="col" className={classes.number}>
                    {one.name}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {starts
                .map((start, at) => (
                  <Table.Tr key={start}>
                    <Table.Th scope="row">{name(at)}</Table.Th>
                    {series.map((one) => (
                      <Table.Td key={one.name} className={classes.number}>
                        {shown(one.values[at], format)}
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))
                .reverse()}
            </Table.Tbody>
          </Table>
        </div>
      ) : (
        <Plot {...props} bucket={bucket} onPoint={setPointed} firstName={name(0)} lastName={name(starts.length - 1)} />
      )}
    </figure>
  );
}

interface PlotProps extends TimeChartProps {
  bucket: number | null;
  onPoint: (bucket: number | null) => void;
  firstName: string;
  lastName: string;
}

function Plot({
  title,
  kind,
  starts,
  series,
  format,
  summary,
  empty,
  bucket,
  onPoint,
  firstName,
  lastName,
}: PlotProps) {
  const values = series.map((one) => one.values);
  const largest = kind === 'bars' ? maxStack(values) : maxValue(values);
  const isEmpty = values.every((of) => of.every((value) => value === null || (kind === 'bars' && value === 0)));
  const end = scaleEnd(largest);
  const slot = PLOT_WIDTH / Math.max(1, starts.length);
  const stripes = useId();
  const point = (event: PointerEvent) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    onPoint(bucketAt((event.clientX - left) / width, starts.length));
  };

  return (
    <div className={classes.plot}>
      <div className={classes.scale} aria-hidden>
        <span>{isEmpty ? '' : format(end)}</span>
        <span>{isEmpty ? '' : format(0)}</span>
      </div>
      <div className={classes.canvas}>
        <svg
          viewBox={`0 0 ${PLOT_WIDTH} ${PLOT_HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${title}, ${firstName} to ${lastName}: ${
            isEmpty ? empty : series.map((one) => `${one.name} ${summary(one)}`).join(', ')
          }. The button “Table” shows the numbers.`}
          onPointerMove={point}
          onPointerDown={point}
          onPointerLeave={() => onPoint(null)}
        >
          <Stripes id={stripes} />
          {[0, 0.5, 1].map((line) => (
            <line key={line} className={classes.grid} x2={PLOT_WIDTH} y1={line * PLOT_HEIGHT} y2={line * PLOT_HEIGHT} />
          ))}
          {bucket !== null && <rect className={classes.pointed} x={bucket * slot} width={slot} height={PLOT_HEIGHT} />}
          {kind === 'bars'
            ? stackedBars(values, end).map((bars, at) => (
                <g key={series[at]?.name} data-tone={series[at]?.tone} fill={`url(#${stripes})`}>
                  {bars.map((bar) => (
                    <rect key={bar.x} {...bar} />
                  ))}
                </g>
              ))
            : series.map((one) => (
                <path key={one.name} className={classes.line} data-tone={one.tone} d={linePath(one.values, end)} />
              ))}
        </svg>
        {isEmpty && starts.length > 0 && (
          <Text className={classes.empty} size="sm" c="dimmed" aria-hidden>
            {empty}
          </Text>
        )}
      </div>
      <div className={classes.times} aria-hidden>
        <span>{firstName}</span>
        <span>{lastName}</span>
      </div>
    </div>
  );
}

function Swatch({ tone, kind }: Pick<TimeChartProps, 'kind'> & { tone: SeriesTone }) {
  const stripes = useId();
  return (
    <svg className={classes.swatch} viewBox="0 0 14 12" aria-hidden>
      <Stripes id={stripes} />
      {kind === 'bars' ? (
        <g data-tone={tone} fill={`url(#${stripes})`}>
          <rect width="14" height="12" />
        </g>
      ) : (
        <path className={classes.line} data-tone={tone} d="M1 6h12" />
      )}
    </svg>
  );
}

/** A pattern keeps the stripes undistorted when the plot is stretched. */
function Stripes({ id }: { id: string }) {
  return (
    <defs>
      <pattern id={id} width="4" height="4" patternUnits="userSpaceOnUse">
        <rect className={classes.stripeGround} width="4" height="4" />
        <rect className={classes.stripe} width="4" height="2" />
      </pattern>
    </defs>
  );
}

const shown = (value: number | null | undefined, format: (value: number) => string): string =>
  value === null || value === undefined ? '–' : format(value);
