import { Module } from '@nestjs/common';
import { ToolFinder } from './tool-finder.js';

@Module({ providers: [ToolFinder], exports: [ToolFinder] })
export class FindingModule {}
