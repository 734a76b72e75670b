import { MantineProvider, Title } from '@mantine/core';
import '@mantine/core/styles.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider>
      <Title>Unified Calendar</Title>
    </MantineProvider>
  </StrictMode>,
);
