import type { ComponentProps } from 'react';
import { Icon, type IconName } from './icon.js';

interface ButtonProps extends Omit<ComponentProps<'button'>, 'className'> {
  readonly icon?: IconName;
  readonly look?: 'primary' | 'quiet' | 'danger';
  readonly small?: boolean;
}

export function Button({ icon, look, small, children, type = 'button', ...rest }: ButtonProps) {
  return (
    <button className={`button ${look ?? ''} ${small ? 'small' : ''}`} type={type} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A button that shows an icon alone. `label` is its name for those who do not see it. */
export function IconButton({
  icon,
  label,
  small,
  look = 'quiet',
  ...rest
}: Omit<ButtonProps, 'icon' | 'children'> & { readonly icon: IconName; readonly label: string }) {
  return (
    <button className={`button icon-only ${look} ${small ? 'small' : ''}`} type="button" aria-label={label} title={label} {...rest}>
      <Icon name={icon} />
    </button>
  );
}
