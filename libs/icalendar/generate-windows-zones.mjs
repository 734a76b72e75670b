/**
 * Writes src/zones/windows-zones.json from CLDR: Windows name → its tz database zones, as in windowsZones.json, with the
 * one that CLDR gives for the world first. A zone of several names belongs to the last one.
 * Run it after raising cldr-core: node libs/icalendar/generate-windows-zones.mjs
 */
import { writeFileSync } from 'node:fs';
import windowsZones from 'cldr-core/supplemental/windowsZones.json' with { type: 'json' };

const mapped = windowsZones.supplemental.windowsZones.mapTimezones.map(({ mapZone }) => mapZone);
const ofFixture = new Map(
  mapped.filter(({ _territory }) => _territory === '001').map(({ _other, _type }) => [_other, _type]),
);
const nameOf = new Map(mapped.flatMap(({ _other, _type }) => _type.split(' ').map((zone) => [zone, _other])));
for (const zone of ['', ...ofFixture.values()]) nameOf.delete(zone);

const zones = Object.fromEntries(
  [...ofFixture].sort().map(([windows, fixture]) => {
    const others = [...nameOf.keys()].filter((zone) => nameOf.get(zone) === windows);
    return [windows, [fixture, ...others.sort()].join(' ')];
  }),
);
writeFileSync(new URL('src/zones/windows-zones.json', import.meta.url), `${JSON.stringify(zones, null, 2)}\n`);
