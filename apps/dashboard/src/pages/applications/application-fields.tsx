import { NumberInput, Radio, Stack, TextInput } from '@mantine/core';
import type { Api, ApiError } from '../../api/index.js';
import { messageAt } from '../../ui/index.js';

export type ApplicationInput = Pick<Api.Application, 'name' | 'environment' | 'rateLimitRps'>;

interface ApplicationFieldsProps<Input extends ApplicationInput> {
  value: Input;
  onChange: (value: Input) => void;
  error: ApiError | null;
}

export function ApplicationFields<Input extends ApplicationInput>({
  value,
  onChange,
  error,
}: ApplicationFieldsProps<Input>) {
  return (
    <Stack gap="md">
      <TextInput
        label="Name"
        description="For operators. Users who connect an account do not see it."
        value={value.name}
        onChange={(event) => onChange({ ...value, name: event.currentTarget.value })}
        error={messageAt(error, 'name')}
        required
        maxLength={100}
        data-autofocus
      />
      <Radio.Group
        label="Environment"
        value={value.environment}
        onChange={(environment) => onChange({ ...value, environment: environment })}
        error={messageAt(error, 'environment')}
      >
        <Stack gap="xs" mt="xs">
          <Radio
            value="development"
            label="Development"
            description="Users may also be sent back to http://localhost, for trying things out."
          />
          <Radio
            value="production"
            label="Production"
            description="Redirect URLs are https, and none leads to the user's own machine."
          />
        </Stack>
      </Radio.Group>
      <NumberInput
        label="Requests a second, for each key"
        description="Empty: the limit of the server."
        value={value.rateLimitRps ?? ''}
        onChange={(rate) => onChange({ ...value, rateLimitRps: rate === '' ? null : Number(rate) })}
        error={messageAt(error, 'rateLimitRps')}
        min={1}
        allowDecimal={false}
        allowNegative={false}
      />
    </Stack>
  );
}
