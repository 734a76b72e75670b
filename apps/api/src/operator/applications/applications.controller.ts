import { Body, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApplicationsService } from '#application/applications';
import { Fails } from '../../openapi/operation.decorators.js';
import { NoQuery } from '../../validation/request-validation.pipe.js';
import { OperatorController } from '../operator-controller.decorator.js';
import { ForTokens } from '../operator.decorators.js';
import {
  ApplicationDto,
  ApplicationListDto,
  UpdateApplicationDto,
  CreateApplicationDto,
  DeleteApplicationDto,
} from './application.dto.js';

@ApiTags('Applications')
@OperatorController('applications')
@ForTokens('applications')
export class ApplicationsController {
  constructor(private readonly applications: ApplicationsService) {}

  /** List the applications, oldest first, with how much each has. */
  @Get()
  async listApplications(@Query() _: NoQuery): Promise<ApplicationListDto> {
    return { data: (await this.applications.list()).map((view) => ApplicationDto.from(view)) };
  }

  /** Create an application. It needs an API key to make requests. */
  @Post()
  @HttpCode(200)
  async createApplication(@Body() body: CreateApplicationDto, @Query() _: NoQuery): Promise<ApplicationDto> {
    return this.read((await this.applications.create(body)).applicationId);
  }

  /** Read one application. */
  @Get(':applicationId')
  @Fails('NotFound')
  getApplication(@Param('applicationId') applicationId: string, @Query() _: NoQuery): Promise<ApplicationDto> {
    return this.read(applicationId);
  }

  /**
   * Change an application. `production` is refused while there are redirect URLs that it does not allow: the error names
   * them.
   */
  @Patch(':applicationId')
  @Fails('NotFound', 'Conflict')
  async updateApplication(
    @Param('applicationId') applicationId: string,
    @Body() body: UpdateApplicationDto,
    @Query() _: NoQuery,
  ): Promise<ApplicationDto> {
    return this.read((await this.applications.change(applicationId, body)).applicationId);
  }

  /**
   * Delete an application with everything that it owns. It is gone at once for everybody; channels and grants at its
   * providers end in the background.
   */
  @Post(':applicationId/delete')
  @HttpCode(204)
  @Fails('NotFound')
  async deleteApplication(
    @Param('applicationId') applicationId: string,
    @Body() { confirmation }: DeleteApplicationDto,
    @Query() _: NoQuery,
  ): Promise<void> {
    await this.applications.delete(applicationId, confirmation);
  }

  private async read(applicationId: string): Promise<ApplicationDto> {
    return ApplicationDto.from(await this.applications.get(applicationId));
  }
}
