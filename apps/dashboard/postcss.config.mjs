import mantine from 'postcss-preset-mantine';
import variables from 'postcss-simple-vars';

const breakpoints = { xs: '36em', sm: '48em', md: '62em', lg: '75em', xl: '88em' };

export default {
  plugins: [
    mantine(),
    variables({
      variables: Object.fromEntries(
        Object.entries(breakpoints).map(([name, width]) => [`mantine-breakpoint-${name}`, width]),
      ),
    }),
  ],
};
