import { Module } from '@nestjs/common';
import { SealedTokens } from './sealed-tokens.js';

/** Tokens that clients hand back. `SealingKeys` come from a global module. */
@Module({ providers: [SealedTokens], exports: [SealedTokens] })
export class TokensModule {}
