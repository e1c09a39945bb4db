import { Controller, Get } from '@nestjs/common';
import type { SettingList } from '#lib/contracts';
import { gatewaySettings } from '../config.js';
import { Route } from '../http/route.js';
import { Stores } from '../stores.js';
import { shownSettings } from './shown-settings.js';

@Controller('admin/settings')
export class SettingsController {
  constructor(private readonly stores: Stores) {}

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
    return { settings: shownSettings(gatewaySettings, this.stores.settings) };
  }
}
