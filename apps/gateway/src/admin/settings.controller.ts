import { Controller, Get } from '@nestjs/common';
import type { SettingList } from '#lib/contracts';
import { gatewaySettings } from '../config.js';
import { Route } from '../http/route.js';
import { Infrastructure } from '../infrastructure/infrastructure.js';
import { shownSettings } from './shown-settings.js';

@Controller('admin/settings')
export class SettingsController {
  readonly #infrastructure: Infrastructure;

  constructor(infrastructure: Infrastructure) {
    this.#infrastructure = infrastructure;
  }

  @Route({
    access: 'admin',
    docs: {
      id: 'getSettings',
      summary: 'The settings of the gateway that answers, without secrets; administrators only',
      tag: 'operations',
    },
  })
  @Get()
  read(): SettingList {
    return { settings: shownSettings(gatewaySettings, this.#infrastructure.settings) };
  }
}
