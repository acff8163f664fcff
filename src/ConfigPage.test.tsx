import { render, screen } from '@testing-library/react';
import React from 'react';
import { ConfigPage } from './ConfigPage';

it('leads to the data source and to the metrics', () => {
  render(<ConfigPage />);
  expect(screen.getByRole('link', { name: 'Add the data source' })).toHaveAttribute(
    'href',
    'connections/datasources/new'
  );
  expect(screen.getByRole('link', { name: /SGLang's metrics/ })).toHaveAttribute(
    'rel',
    expect.stringContaining('noreferrer')
  );
});
