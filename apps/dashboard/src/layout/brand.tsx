import { Group, Text } from '@mantine/core';
import mark from '../theme/mark.svg';

export function Brand() {
  return (
    <Group gap="xs" wrap="nowrap">
      <img src={mark} width={26} height={26} alt="" />
      <Text fw={600}>Unified Calendar</Text>
    </Group>
  );
}
