import { Controller, HttpStatus, Post, Req, Res, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { readMicrosoftPushes } from '#providers';
import { PublicRoute } from '../auth/public-route.decorator.js';
import { PushBodyInterceptor } from './push-body.interceptor.js';
import { PushesIntake } from './pushes-intake.js';
import { validationTokenOf } from './validation-token.js';

/** Where subscriptions of Microsoft Graph push to, and where Graph tells of the subscriptions themselves. */
@ApiExcludeController()
@PublicRoute()
@Controller('v1/providers/microsoft')
export class MicrosoftNotificationsController {
  constructor(private readonly intake: PushesIntake) {}

  /**
   * Consents to a subscription by repeating the token, as text: that of anybody, since Graph asks before its answer has
   * told us of the subscription. Pushes that are not genuine are passed over: others may have come with them.
   */
  @Post(['notifications', 'lifecycle'])
  @UseInterceptors(PushBodyInterceptor)
  async takePushes(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string | undefined> {
    const token = validationTokenOf(request.query);
    if (token !== null) {
      response.status(HttpStatus.OK).setHeader('content-type', 'text/plain; charset=utf-8');
      return token;
    }
    const source = request.ip ?? '';
    const pushes = readMicrosoftPushes(request.body);
    if (pushes.length === 0) {
      this.intake.assertTrusted(source);
      this.intake.noteForged('MICROSOFT', source);
    }
    await this.intake.take('MICROSOFT', source, pushes);
    response.status(HttpStatus.ACCEPTED);
    return undefined;
  }
}
