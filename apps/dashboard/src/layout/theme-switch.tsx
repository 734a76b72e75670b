import { SegmentedControl, useMantineColorScheme, VisuallyHidden, type MantineColorScheme } from '@mantine/core';
import { IconDeviceDesktop, IconMoon, IconSun, type Icon } from '@tabler/icons-react';
import classes from './theme-switch.module.css';

const SCHEMES: { value: MantineColorScheme; label: string; icon: Icon }[] = [
  { value: 'light', label: 'Light', icon: IconSun },
  { value: 'dark', label: 'Dark', icon: IconMoon },
  { value: 'auto', label: 'As the system', icon: IconDeviceDesktop },
];

export function ThemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      aria-label="Colours"
      size="xs"
      classNames={{ innerLabel: classes.sign }}
      value={colorScheme}
      onChange={(value) => setColorScheme(value)}
      data={SCHEMES.map(({ value, label, icon: Sign }) => ({
        value,
        label: (
          <>
            <Sign size={16} aria-hidden display="block" />
            <VisuallyHidden>{label}</VisuallyHidden>
          </>
        ),
      }))}
    />
  );
}
