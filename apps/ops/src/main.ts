import 'reflect-metadata';
import { run } from './run.js';

process.exitCode = await run();
