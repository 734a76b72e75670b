import { Module, type DynamicModule } from '@nestjs/common';
import { LoggerModule } from 'nestjs-pino';
import { pino, type DestinationStream, type LogFn, type Logger } from 'pino';
import { currentTraceId } from '../telemetry/index.js';
import { currentContext, type RequestContext } from '../request-context/request-context.js';
import { loggedError, redacted } from './redaction.js';

export interface LoggingOptions {
  service: string;
  level: string;
  /** Default: standard output. The command line tool logs to standard error instead. */
  destination?: DestinationStream;
}

/** Buffers lines: under load, a write per line is a tenth of the cost of a small read. */
const BUFFERED_BYTES = 8_192;
/** Longest time in the buffer. Only a killed process loses buffered lines. */
const LINGER_MS = 50;

let output: DestinationStream | undefined;

/** Shared by all loggers of the process. pino flushes it at exit. */
function standardOutput(): DestinationStream {
  return (output ??= pino.destination({ minLength: BUFFERED_BYTES, periodicFlush: LINGER_MS, sync: false }));
}

/** JSON escapes control characters and line breaks, so user text cannot forge a line. */
export function createLogger({ service, level, destination }: LoggingOptions): Logger {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: redacted },
    // `redacted` reduces errors before serializers run; pino's own serializer would add their fields again.
    serializers: { err: (error: unknown) => error },
    hooks: { logMethod },
    mixin: () => {
      const context = currentContext();
      if (context !== undefined) return fieldsOf(context);
      const traceId = currentTraceId();
      return traceId === undefined ? {} : { traceId };
    },
  };
  return pino(options, destination ?? standardOutput());
}

/** Contexts in which Nest names every module and route at the start. */
const START_CONTEXTS: ReadonlySet<unknown> = new Set(['InstanceLoader', 'RoutesResolver', 'RouterExplorer']);

/** Lowers the level of start lines. Reduces the message of a bare error, which pino takes as it is. */
function logMethod(this: Logger, args: Parameters<LogFn>, write: LogFn, level: number): void {
  const [line, message]: unknown[] = args;
  const { err, msg, context } = (line instanceof Error ? { err: line } : Object(line)) as Record<string, unknown>;
  if (START_CONTEXTS.has(context) && level === this.levels.values['info']) return this.debug(...args);
  if (!(err instanceof Error) || message !== undefined || msg !== undefined) write.apply(this, args);
  else write.call(this, line, loggedError(err).message);
}

export const PROCESS_LOGGER = Symbol('PROCESS_LOGGER');

/** Provides Nest's logger over pino. Import once per process: a second import would log everything twice. */
@Module({})
export class LoggingModule {
  static forRoot(options: LoggingOptions): DynamicModule {
    const logger = createLogger(options);
    return {
      module: LoggingModule,
      global: true,
      providers: [{ provide: PROCESS_LOGGER, useValue: logger }],
      exports: [PROCESS_LOGGER],
      imports: [
        LoggerModule.forRoot({
          pinoHttp: { logger, autoLogging: false, wrapSerializers: false, serializers: {} },
          // Only the api logs requests; it binds the middleware itself.
          forRoutes: [],
        }),
      ],
    };
  }
}

/** Copies known fields only: the context may hold data that must not be logged. */
function fieldsOf({ requestId, traceId, applicationId, accountId }: RequestContext): RequestContext {
  const fields: RequestContext = { requestId };
  if (traceId !== undefined) fields.traceId = traceId;
  if (applicationId !== undefined) fields.applicationId = applicationId;
  if (accountId !== undefined) fields.accountId = accountId;
  return fields;
}
