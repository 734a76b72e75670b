import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { contextOf } from './api-context.js';

export const IGNORED_FIELDS_HEADER = 'x-ignored-fields';

@Injectable()
export class IgnoredFieldsInterceptor implements NestInterceptor {
  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = execution.switchToHttp();
    const request = http.getRequest<Request>();
    return next.handle().pipe(
      map((result: unknown) => {
        const { ignoredFields } = contextOf(request);
        if (ignoredFields.size > 0) {
          http.getResponse<Response>().setHeader(IGNORED_FIELDS_HEADER, [...ignoredFields].join(', '));
        }
        return result;
      }),
    );
  }
}
